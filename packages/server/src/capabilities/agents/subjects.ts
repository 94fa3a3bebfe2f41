import type { Endpoint, RequestOf, ResponseOf } from '@svc/contract/common/endpoint'
import * as config from '@svc/contract/config/config'
import * as functions from '@svc/contract/functions'
import * as hosting from '@svc/contract/hosting'
import * as leaderboards from '@svc/contract/leaderboards'
import * as moderation from '@svc/contract/moderation'
import * as players from '@svc/contract/players'

import { ApiError } from '../../platform/api-error.ts'
import { diff } from '../../platform/json-diff.ts'

/** Calls an endpoint that reads, of the environment of the agent. Throws its error. */
export type Look = <E extends Endpoint>(endpoint: E, input: Partial<RequestOf<E>>) => Promise<ResponseOf<E>>

/** What a call would change, read when the agent asks. */
export type Subject = {
  /** Begins with a verb. Words of the service and values take turns; values may be texts of the agent or of players. */
  sentence: string[]
  /** The id of what the call is about, if the sentence has only its name. */
  target?: string
  facts?: { name: string; value: string }[]
  changes?: config.Change[]
  /** Must be the same when the approved call is made, or else the developer is asked again. */
  state?: unknown
}
type Describe<E extends Endpoint> = (request: RequestOf<E>, look: Look) => Promise<Subject>

/** What a destructive call would change. What does not exist is refused before anybody is asked. */
export async function subjectOf(route: string, values: unknown, look: Look): Promise<Subject> {
  const describe = SUBJECTS.get(route)
  if (!describe) throw new Error(`no subject of ${route}`)
  return describe(values as never, look)
}

export const SUBJECTS: ReadonlyMap<string, Describe<Endpoint>> = new Map([
  subject(config.pushConfig, async ({ body }, look) => {
    const dryRun = await look(config.pushConfig, { query: { dryRun: true }, body })
    const { version } = await look(config.readConfig, {})
    const changes = 'changes' in dryRun ? dryRun.changes : []
    return { sentence: configSentence(changes), changes, state: version }
  }),
  subject(config.restoreConfigVersion, async ({ params }, look) => {
    const wanted = await look(config.readConfigVersion, { params })
    const current = await look(config.readConfig, {})
    return {
      sentence: say`restore config version ${params.version}`,
      facts: [{ name: 'Pushed', value: `${wanted.updatedAt} by ${wanted.actor.label}` }],
      changes: diff(current.config, wanted.config),
      state: current.version,
    }
  }),

  subject(hosting.activateDeployment, async ({ params }, look) => {
    const compared = await compareDeployment(params.ref, look)
    if (compared.status !== 'finalized') throw new ApiError('not_finalized')
    return { sentence: say`make version ${compared.version} of the hosted app live`, ...compared.subject }
  }),
  subject(hosting.finalizeDeployment, async ({ params }, look) => {
    const compared = await compareDeployment(params.ref, look)
    return {
      sentence: say`finish version ${compared.version} of the hosted app and make it live`,
      ...compared.subject,
    }
  }),

  subject(functions.deployFunctions, async ({ body }, look) => {
    const { deployments } = await look(functions.listFunctionDeployments, { query: { limit: 100 } })
    const live = deployments.find((one) => one.live)
    const { fromVersion, message } = body
    const again = deployments.find(({ version }) => version === fromVersion)
    if (fromVersion !== undefined && !again) throw new ApiError('deployment_not_found')
    const modules = again
      ? again.modules.map(({ name, size }) => ({ name, text: bytesText(size) }))
      : (body.modules ?? []).map(({ name, type, content }) => ({ name, text: moduleText(type, content) }))
    const before = new Map(live?.modules.map(({ name, size }) => [name, bytesText(size)]))
    return {
      sentence: again
        ? say`deploy version ${again.version} of server functions again`
        : say`deploy server functions`,
      facts: [
        { name: 'Live now', value: live ? `version ${live.version}` : 'nothing' },
        ...(message === undefined ? [] : [{ name: 'Message', value: message }]),
      ],
      changes: replaced(before, new Map(modules.map(({ name, text }) => [name, text]))),
      state: [live?.deploymentId, again?.deploymentId],
    }
  }),
  subject(functions.enableFunctions, async ({ body }, look) => ({
    sentence: say`enable server functions`,
    ...(await stateOfFunctions(look, { enabled: true, limits: body })),
  })),
  subject(functions.disableFunctions, async (_, look) => ({
    sentence: say`disable server functions`,
    ...(await stateOfFunctions(look, { enabled: false })),
  })),
  subject(functions.limitFunctions, async ({ body }, look) => ({
    sentence: say`change the limits of server functions`,
    ...(await stateOfFunctions(look, { limits: body })),
  })),
  subject(functions.removeFunctions, async ({ query }, look) => ({
    sentence: query.purge
      ? say`remove the server functions with all their data`
      : say`remove the code of the server functions`,
    ...(await stateOfFunctions(look, { deployed: false })),
  })),
  subject(functions.queryFunctionDatabase, async ({ params }, look) => {
    await requireDatabase(params.binding, look)
    return { sentence: say`run SQL in the database ${params.binding}` }
  }),
  subject(functions.migrateFunctionDatabase, async ({ params, body }, look) => {
    await requireDatabase(params.binding, look)
    return { sentence: say`run ${body.migrations.length} migrations in the database ${params.binding}` }
  }),

  subject(
    moderation.banPlayer,
    ofPlayer((name) => say`ban player ${name}`),
  ),
  subject(moderation.banPlayerForTime, async ({ params: { playerId }, body }, look) => ({
    sentence: say`ban player ${await nameOf(playerId, look)} for ${body.durationHours} hours`,
    target: playerId,
  })),
  subject(
    players.deletePlayer,
    ofPlayer((name) => say`delete player ${name}`),
  ),
  subject(
    players.exportPlayer,
    ofPlayer((name) => say`read all personal data of player ${name}`),
  ),
  subject(
    players.signOutPlayer,
    ofPlayer((name) => say`sign player ${name} out everywhere`),
  ),
  subject(players.writePlayerSave, async ({ params, body }, look) => {
    const { name, save } = await saveOf(params, look)
    return {
      sentence: save
        ? say`overwrite the save ${params.key} of player ${name}`
        : say`create the save ${params.key} of player ${name}`,
      target: params.playerId,
      changes: save ? diff(save.data, body.data) : [{ path: '$', before: null, after: body.data }],
      state: save?.version ?? 0,
    }
  }),
  subject(players.deletePlayerSave, async ({ params }, look) => {
    const { name, save } = await saveOf(params, look)
    if (!save) throw new ApiError('save_not_found')
    return {
      sentence: say`delete the save ${params.key} of player ${name}`,
      target: params.playerId,
      changes: [{ path: '$', before: save.data, after: null }],
      state: save.version,
    }
  }),

  subject(leaderboards.resetLeaderboard, async ({ params }, look) => {
    await look(leaderboards.readLeaderboardAsAdmin, { params, query: { limit: 1 } })
    return { sentence: say`reset the leaderboard ${params.key} for all players` }
  }),
  subject(leaderboards.removeLeaderboardEntry, async ({ params: { key, playerId } }, look) => {
    await look(leaderboards.readLeaderboardAsAdmin, { params: { key }, query: { limit: 1 } })
    return {
      sentence: say`remove player ${await nameOf(playerId, look)} from the leaderboard ${key}`,
      target: playerId,
    }
  }),
])

function subject<E extends Endpoint>(endpoint: E, describe: Describe<E>): [string, Describe<Endpoint>] {
  // The request was checked by the schemas of this endpoint.
  return [endpoint.route, describe as unknown as Describe<Endpoint>]
}

function say(words: TemplateStringsArray, ...values: (string | number)[]): string[] {
  return words.flatMap((text, at) => (at < values.length ? [text, String(values[at])] : [text]))
}

function configSentence(changes: readonly config.Change[]): string[] {
  const [change] = changes
  if (!change) return say`push a config that changes nothing`
  if (changes.length > 1) return say`make ${changes.length} changes to the config`
  const name = change.path.replace(/^\$\.(features\.)?/, '').replace(/\.enabled$/, '')
  if (change.after === true) return say`turn ${name} on`
  if (change.after === false) return say`turn ${name} off`
  return change.after === null ? say`remove ${name} from the config` : say`change ${name} in the config`
}

async function compareDeployment(ref: string, look: Look) {
  const { deployment, files } = await look(hosting.readDeployment, { params: { ref } })
  const { live } = await look(hosting.readHosting, {})
  const before = live
    ? (await look(hosting.readDeployment, { params: { ref: live.deploymentId } })).files
    : []
  const { deploymentId, version, status, message, createdAt, by } = deployment
  return {
    version,
    status,
    subject: {
      target: deploymentId,
      facts: [
        { name: 'Message', value: message ?? 'none' },
        { name: 'Uploaded', value: by ? `${createdAt} by ${by.label}` : createdAt },
        { name: 'Live now', value: live ? `version ${live.version}` : 'nothing' },
      ],
      changes: replaced(filesText(before), filesText(files)),
      state: [deploymentId, live?.deploymentId],
    },
  }
}

/** Enough to recognize a file; the whole deployment is what is approved. */
const HASH_LENGTH = 12
const filesText = (files: readonly hosting.DeployedFile[]): ReadonlyMap<string, string> =>
  new Map(
    files.map(({ path, size, sha256 }) => [
      path,
      `${bytesText(size)}, sha256 ${sha256.slice(0, HASH_LENGTH)}…`,
    ]),
  )

/** What is different after the second list has replaced the first one. */
const replaced = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): config.Change[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => ({ path: name, before: before.get(name) ?? null, after: after.get(name) ?? null }))

const bytesText = (size: number) => `${size} bytes`

const moduleText = (type: string, content: string): string =>
  type === 'wasm' || type === 'data'
    ? bytesText(Buffer.byteLength(content, 'base64'))
    : Buffer.from(content, 'base64').toString()

/** `changed`: the members of the state that become others. */
async function stateOfFunctions(
  look: Look,
  { limits, ...changed }: { enabled?: boolean; deployed?: boolean; limits?: object },
) {
  const { enabled, deployed, version, limits: current } = await look(functions.readFunctions, {})
  const state = { enabled, deployed, limits: current }
  const changes = diff(state, { ...state, ...changed, limits: { ...current, ...limits } })
  return { changes, state: { ...state, version } }
}

async function requireDatabase(binding: string, look: Look) {
  const { enabled } = await look(functions.readFunctions, {})
  if (!enabled) throw new ApiError('functions_disabled')
  const { deployments } = await look(functions.listFunctionDeployments, { query: { limit: 100 } })
  const bindings = deployments.find(({ live }) => live)?.bindings ?? []
  if (!bindings.some(({ type, name }) => type === 'db' && name === binding))
    throw new ApiError('binding_not_found')
}

function ofPlayer(sentence: (name: string) => string[]) {
  return async (
    { params: { playerId } }: { params: { playerId: string } },
    look: Look,
  ): Promise<Subject> => ({
    sentence: sentence(await nameOf(playerId, look)),
    target: playerId,
  })
}

async function nameOf(playerId: string, look: Look): Promise<string> {
  return (await look(players.readPlayerDetail, { params: { playerId } })).player.displayName
}

async function saveOf(params: { playerId: string; key: string }, look: Look) {
  const { player } = await look(players.readPlayerDetail, { params: { playerId: params.playerId } })
  const exists = player.saves.some(({ key }) => key === params.key)
  return {
    name: player.displayName,
    save: exists ? await look(players.readPlayerSave, { params }) : undefined,
  }
}
