import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type Address, addressesOf } from '@svc/contract/common/endpoint'
import { endpointList, type NamedEndpoint } from '@svc/contract/common/endpoints'
import * as fc from 'fast-check'

import { sha256 } from '../src/platform/crypto.ts'
import { newAgent } from '../src/testing/agents.ts'
import { deployFunctions, startFunctionsService } from '../src/testing/deployed-functions.ts'
import { newGuest } from '../src/testing/guests.ts'
import { invite, newMember } from '../src/testing/members.ts'
import { topUp } from '../src/testing/money.ts'
import { skipsTurn } from '../src/testing/runs.ts'
import { answerTo, engines, type Service } from '../src/testing/service.ts'
import { valid } from './fuzz/values.ts'

/** Tests every path of the contract automatically, so a new endpoint is covered as soon as it exists. */
const addresses = endpointList.flatMap((endpoint) =>
  addressesOf(endpoint).map((address) => ({ endpoint, address })),
)

/** Creates a project with a guest, and with a banned player who has appealed. */
type Project = Awaited<ReturnType<Service['newProject']>> & {
  banned: Banned
  guest: Guest
  deploymentId: string
  checkoutId: string
  deliveryId: string
  shareId: string
  invited: string
  requestId: string
  agentId: string
  approvalId: string
  memberId: string
  invitationId: string
}
type Guest = { accessToken: string; refreshToken: string }
type Banned = { playerId: string; accessToken: string; sanctionId: string; appealId: string }
type Parameters = Record<string, string>
type Headers = Record<string, string>

/** Names of function secrets and names of channels have different alphabets. */
const parametersOf = (path: string) => path.replace('/secrets/:name', '/secrets/:secret')
const parametersIn = (path: string): string[] =>
  [...parametersOf(path).matchAll(/:(\w+)/g)].map(([, name = '']) => name)
const filled = (path: string, values: Parameters) =>
  parametersOf(path).replace(/:(\w+)/g, (_, name: string) => values[name] ?? '')

const sessionIdOf = ({ developer }: Project) => `dss_${sha256(developer.token).slice(0, 32)}`

/** Parameter values of the caller's own project. A new parameter must be added here before its endpoint can be merged. */
const ownOf = (project: Project): Parameters => ({
  projectId: project.id,
  env: 'development',
  keyId: project.keys[0]?.id ?? '',
  provider: 'discord',
  version: '1',
  playerId: project.banned.playerId,
  sanctionId: project.banned.sanctionId,
  appealId: project.banned.appealId,
  key: 'slot',
  name: '@own',
  ref: '1',
  sha256: 'a'.repeat(64),
  id: project.checkoutId,
  label: `${project.slug}--dev`,
  secret: 'OWN',
  binding: 'OWN_DB',
  shareId: project.shareId,
  email: project.invited,
  sessionId: sessionIdOf(project),
  requestId: project.requestId,
  agentId: project.agentId,
  approvalId: project.approvalId,
  engine: 'database',
  developerId: project.memberId,
  invitationId: project.invitationId,
  roomId: 'rom_01kgb7zk00e0aaan5t1ckwz9sr',
})

/** Parameter values that exist in another developer's project. Only a shared parameter has no such value. */
const foreignOf = (project: Project): Parameters => ({
  projectId: project.id,
  keyId: project.keys[1]?.id ?? '',
  version: '2',
  playerId: project.banned.playerId,
  sanctionId: project.banned.sanctionId,
  appealId: project.banned.appealId,
  key: 'theirs',
  name: '@theirs',
  ref: project.deploymentId,
  id: project.checkoutId,
  shareId: project.shareId,
  secret: 'THEIRS',
  binding: 'THEIR_DB',
  sessionId: sessionIdOf(project),
  requestId: project.requestId,
  agentId: project.agentId,
  approvalId: project.approvalId,
  developerId: project.memberId,
  invitationId: project.invitationId,
})

const UNKNOWN: Parameters = {
  projectId: 'prj_01kgb7zk00e0aaan5t1ckwz9sr',
  env: 'staging',
  keyId: 'key_01kgb7zk00e0aaan5t1ckwz9sr',
  provider: 'myspace',
  version: '999',
  playerId: 'ply_01kgb7zk00e0aaan5t1ckwz9sr',
  sanctionId: 'san_01kgb7zk00e0aaan5t1ckwz9sr',
  appealId: 'apl_01kgb7zk00e0aaan5t1ckwz9sr',
  key: 'none',
  name: '@none',
  ref: 'dpl_01kgb7zk00e0aaan5t1ckwz9sr',
  id: 'chk_01kgb7zk00e0aaan5t1ckwz9sr',
  label: 'nobody',
  secret: 'NONE',
  binding: 'NONE',
  shareId: 'shr_000000000000',
  email: 'nobody@example.com',
  sessionId: `dss_${'0'.repeat(32)}`,
  requestId: 'req_unknown',
  agentId: 'agn_01kgb7zk00e0aaan5t1ckwz9sr',
  approvalId: 'apv_01kgb7zk00e0aaan5t1ckwz9sr',
  engine: 'nothing',
  developerId: 'dev_01kgb7zk00e0aaan5t1ckwz9sr',
  invitationId: 'inv_01kgb7zk00e0aaan5t1ckwz9sr',
  roomId: 'rom_01kgb7zk00e0aaan5t1ckwz9sr',
}

/** Versions are numbers, and keys and secrets have a fixed alphabet, so any other value is an invalid request, not an unknown object. */
const MALFORMED: Partial<Record<string, string[]>> = {
  version: ['2147483648', '999999999999999'],
  key: ['constructor', '__proto__', '...', 'x'.repeat(64)],
  secret: ['_', '__PROTO__', 'X'.repeat(64)],
}
const malformedFor = (name: string): string[] =>
  MALFORMED[name] ??
  'nonsense 0 prj_ constructor __proto__ %20 ..%2f.. %E2%80%AE e%CC%81'
    .split(' ')
    .concat([64, 65, 2_000].map((length) => 'x'.repeat(length)))

/** Any valid body. Removing a sign-in method requires reauthentication before the response shows whether the method exists. */
function bodyFor({ name, body }: NamedEndpoint, { guest }: Pick<Project, 'guest'>): unknown {
  if (name === 'removeIdentity') return { password: 'correct horse' }
  // Only a secret key may limit the time, which any valid body may do.
  if (name === 'banPlayer') return { reason: 'cheating' }
  // With an id the binding may be unknown: its version is not live yet.
  if (name === 'migrateFunctionDatabase') return { migrations: [{ name: '1', sql: 'select 1' }] }
  if (name === 'unlinkPlayerIdentity') return { refreshToken: guest.refreshToken }
  return body && fc.sample(valid(body), { numRuns: 1, seed: 1 })[0]
}

/** Writing an unknown save, channel, blob or secret creates it, so these parameters have no unknown value. */
const MADE: Partial<Record<string, string>> = {
  writeSave: 'key',
  writePlayerSave: 'key',
  writeChannel: 'name',
  uploadBlob: 'sha256',
  writeFunctionSecret: 'secret',
}
const makesWhatItNames = (endpoint: NamedEndpoint, name: string) => MADE[endpoint.name] === name
/**
 * No developer or player here has an external sign-in, no functions were deployed with a source map, and no room with code is open: a
 * foreign one is in `capabilities/rooms/code/server-rooms.test.ts`.
 */
const ABSENT: Partial<Record<string, string>> = {
  removeIdentity: 'provider',
  unlinkPlayerIdentity: 'provider',
  readFunctionSourceMap: 'version',
  messageRoom: 'roomId',
  closeRoom: 'roomId',
  readRoomState: 'roomId',
  readRoomTurns: 'roomId',
}
const hasOwn = (endpoint: NamedEndpoint, name: string) => ABSENT[endpoint.name] !== name

/**
 * The provider that an endpoint accepts: GitHub for developers, Discord for the project's players, and Google for native sign-in.
 */
const PROVIDER_OF: Partial<Record<string, string>> = { startSignIn: 'github', signInNatively: 'google' }

/** `:id` is a checkout, or a delivery of the webhook. */
const idFor = ({ name }: NamedEndpoint, { checkoutId, deliveryId }: Project) =>
  name === 'replayWebhookDelivery' ? deliveryId : checkoutId

for (const engine of engines) {
  describe(`tenants on ${engine}`, () => {
    let service: Service
    let other: Project
    before(async () => {
      const offered = { SVC_GITHUB_CLIENT_ID: 'id', SVC_GITHUB_CLIENT_SECRET: 'secret' }
      service = await startFunctionsService(engine, {
        SVC_BILLING: 'on',
        SVC_RATE_LIMITS: 'off',
        SVC_CARDS: 'off',
        ...offered,
      })
      other = await newProject('@theirs')
      assert.equal(await service.signUp.setOperator(other.developer.email, true), true)
      await addSecret(other, 'THEIRS')
      await addDatabase(other, 'THEIR_DB')
      await guestOf(other, 'theirs')
      await other.development.server('PUT', '/v1/config', { audience: 'kids' })
    })
    after(() => service.stop())

    /** Creates a project that contains every object a path may refer to. */
    async function newProject(channel = '@own') {
      const project = await service.newProject()
      const { development, developer } = project
      await development.server('PUT', '/v1/config', {
        audience: 'mixed',
        features: { saves: true, stats: true, realtimeChannels: true, hosting: true, multiplayer: true },
        stats: [{ key: channel === '@own' ? 'slot' : 'theirs', leaderboard: {} }],
        auth: { providers: { discord: { enabled: true }, google: { enabled: true } } },
        // No server listens there: the delivery fails immediately, and is recorded.
        integrity: { stats: { webhook: { url: 'http://localhost:9/verify' } } },
        share: { images: { enabled: true }, links: { enabled: true }, tracking: { enabled: true } },
      })
      for (const provider of ['discord', 'google']) {
        await developer.call('PUT', `${development.path}/auth/providers/${provider}`, {
          clientId: 'id',
          clientSecret: 'secret',
        })
      }
      await development.server('PUT', `/v1/realtime/channels/${channel}`, {})
      const files = [{ path: 'index.html', sha256: 'a'.repeat(64), size: 1 }]
      const { body } = await development.server('POST', '/v1/deployments', { files })
      const { deploymentId } = body
      const checkout = await developer.call(
        'POST',
        '/v1/money/prepaid/checkout',
        { amount: 500, successUrl: 'https://a.example', cancelUrl: 'https://a.example' },
        { 'idempotency-key': 'first' },
      )
      const { body: share } = await development.server('POST', '/v1/admin/share/links', { label: 'own' })
      const delivered = await development.server('POST', '/v1/admin/integrity/webhook-test')
      return {
        ...project,
        banned: await bannedPlayerOf(project),
        guest: await guestOf(project),
        deploymentId,
        checkoutId: checkout.body.id,
        deliveryId: delivered.body.delivery.id,
        shareId: share.link.id,
        requestId: (await development.server('GET', '/v1/config')).headers['x-request-id'] ?? '',
        ...(await agentOf(project)),
        memberId: (await newMember(service, project, 'viewer')).id,
        invitationId: (await invite(project, 'nobody-yet@example.com', 'viewer')).id,
        invited: (await service.signUp.invite(`invited-${project.id}@example.com`)).email,
      }
    }

    /** An agent that has asked for an approval. */
    async function agentOf(project: Pick<Project, 'developer' | 'development'>) {
      const { id, call } = await newAgent(service, project, project.development, { tools: ['delete_player'] })
      const guest = await newGuest(project.development)
      const asked = await call('POST', `${project.development.path}/players/${guest.id}/delete`)
      return { agentId: id, approvalId: String(asked.body.error.details.approvalId) }
    }

    let read: Promise<Project> | undefined
    /** GET changes nothing, so all its tests read one project. */
    const projectFor = ({ method }: Address) => (method === 'GET' ? (read ??= newProject()) : newProject())

    async function addSecret({ development, developer }: Project, name: string) {
      await topUp(service, developer, 500)
      await development.server('POST', '/v1/admin/functions/enable', {})
      const { status } = await development.server('PUT', `/v1/admin/functions/secrets/${name}`, {
        value: 'x',
      })
      assert.equal(status, 200)
    }

    async function addDatabase({ development, developer }: Project, name: string) {
      await topUp(service, developer, 500)
      await deployFunctions(development, 'export default { fetch: () => new Response() }', {
        bindings: [{ type: 'db', name }],
      })
    }

    async function guestOf({ development }: Pick<Project, 'development'>, saved = 'slot'): Promise<Guest> {
      const { body } = await development.public('POST', '/v1/auth/guest', {})
      const headers = { authorization: `Bearer ${body.accessToken}` }
      await development.public('PUT', `/v1/saves/${saved}`, { data: 1 }, headers)
      return body
    }

    async function bannedPlayerOf({ development }: Pick<Project, 'development'>): Promise<Banned> {
      const { body: session } = await development.public('POST', '/v1/auth/guest', {})
      const { accessToken, refreshToken, player } = session
      const headers = { authorization: `Bearer ${accessToken}` }
      await development.public('PUT', '/v1/saves/slot', { data: 1 }, headers)
      await development.server('POST', `/v1/admin/players/${player.id}/ban`, {})
      const appeal = await development.public('POST', '/v1/auth/appeal', { refreshToken, message: 'Sorry.' })
      const { body } = await development.public('GET', '/v1/players/me/sanctions', undefined, {
        authorization: `Bearer ${accessToken}`,
      })
      const [sanction] = body.sanctions
      return { playerId: player.id, accessToken, sanctionId: sanction.id, appealId: appeal.body.appeal.id }
    }

    async function ask(
      address: Address,
      endpoint: NamedEndpoint,
      values: Parameters,
      caller: Headers,
      project: Pick<Project, 'guest'> = other,
    ) {
      const body = bodyFor(endpoint, project)
      const url = filled(address.path, values)
      const { status, text } = await answerTo(service.http, {
        method: address.method as 'GET',
        url,
        headers: { ...caller, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
      return { status, text }
    }

    function callerOf(
      { caller, path }: Address,
      { developer, development, banned, guest }: Project,
    ): Headers {
      if (caller === 'operator') return { authorization: `Bearer ${other.developer.token}` }
      if (caller === 'developer') return { authorization: `Bearer ${developer.token}` }
      if (caller !== 'player') return { 'x-svc-key': development.secretKey }
      const { accessToken } = path.includes(':sanctionId') ? banned : guest
      return { 'x-svc-key': development.publishableKey, authorization: `Bearer ${accessToken}` }
    }

    for (const [at, { endpoint, address }] of addresses.entries()) {
      for (const name of parametersIn(address.path)) {
        if (makesWhatItNames(endpoint, name)) continue
        test(`[GEN-23] ${address.method} ${address.path}: a foreign, an unknown and a malformed ${name} get the same response`, async (t) => {
          // The tests below read every address after every commit.
          if (skipsTurn(t, at % 2 === 0 ? 0 : 1)) return
          const project = await projectFor(address)
          if (name === 'secret') await addSecret(project, 'OWN')
          if (name === 'binding') await addDatabase(project, 'OWN_DB')
          const own = ownOf(project)
          own['provider'] = PROVIDER_OF[endpoint.name] ?? 'discord'
          own['id'] = idFor(endpoint, project)
          assert.ok(
            own[name] && UNKNOWN[name],
            `tell this test what an own, a foreign and an unknown ${name} is`,
          )
          const asking = (value: string) =>
            ask(address, endpoint, { ...own, [name]: value }, callerOf(address, project), project)

          const unknown = await asking(UNKNOWN[name])
          assert.equal(unknown.status, 404)
          const foreign = name === 'id' ? idFor(endpoint, other) : foreignOf(other)[name]
          for (const value of [...(foreign ? [foreign] : []), ...malformedFor(name)]) {
            assert.deepEqual(await asking(value), unknown, `${name} = ${value}`)
          }
          if (!hasOwn(endpoint, name)) return
          assert.notDeepEqual(await asking(own[name]), unknown, 'one’s own is there')
        })
      }
    }

    test('[GEN-23] with another developer’s session every project answers like an unknown one', async () => {
      const stranger = await service.newProject()
      for (const { endpoint, address } of addresses.filter(({ address: { path } }) =>
        path.includes(':projectId'),
      )) {
        const caller = { authorization: `Bearer ${stranger.developer.token}` }
        const foreign = await ask(address, endpoint, ownOf(other), caller)
        const unknown = await ask(
          address,
          endpoint,
          { ...ownOf(other), projectId: UNKNOWN['projectId'] ?? '' },
          caller,
        )
        assert.deepEqual(foreign, unknown, `${address.method} ${address.path}`)
        assert.equal(foreign.status, 404)
      }
    })

    test('[GEN-23] [GEN-24] no response to a developer or a key contains data of another developer or of the other environment', async () => {
      const mine = await projectOfWords('mine')
      const yours = await projectOfWords('yours')
      const callers = [
        {
          who: 'my session',
          headers: { authorization: `Bearer ${mine.project.developer.token}` },
          hidden: yours.words,
        },
        {
          who: 'my development key',
          headers: { 'x-svc-key': mine.project.development.secretKey },
          hidden: [...yours.words, ...mine.production],
        },
        {
          who: 'my production key',
          headers: { 'x-svc-key': mine.project.production.secretKey },
          hidden: [...yours.words, ...mine.development],
        },
      ]
      for (const { who, headers, hidden } of callers) {
        for (const { endpoint, address } of addresses.filter(({ address: { method } }) => method === 'GET')) {
          const { text } = await ask(address, endpoint, ownOf(mine.project), headers)
          for (const word of hidden) assert.ok(!text.includes(word), `${who}: ${address.path} tells ${word}`)
        }
      }
    })

    test('[GEN-24] changes made with a key of one environment are not visible in the other', async () => {
      const { project } = await projectOfWords('apart')
      const sides = [project.development, project.production]
      const look = async ({ server }: Project['development']) =>
        JSON.stringify([
          (await server('GET', '/v1/config')).body,
          (await server('GET', '/v1/admin/features')).body,
        ])

      for (const [side, opposite] of [sides, sides.toReversed()]) {
        if (!side || !opposite) continue
        const beforehand = await look(opposite)
        for (const { endpoint, address } of addresses.filter(
          ({ address: { caller } }) => caller === 'server',
        )) {
          if (endpoint.name === 'moveClock') continue
          await ask(address, endpoint, ownOf(project), { 'x-svc-key': side.secretKey })
        }
        assert.equal(await look(opposite), beforehand)
      }
    })

    /** Creates a project whose texts all contain its owner's name. */
    async function projectOfWords(whose: string) {
      const word = (place: string) => `${whose}-${place}-${engine}`
      const developer = await service.newDeveloper(`${word('email')}@example.com`)
      const made = await service.newProject(developer, word('name'))
      const [banned, guest] = [await bannedPlayerOf(made), await guestOf(made)]
      const member = await newMember(service, made, 'viewer', `${word('member')}@example.com`)
      const invitedTo = `${word('invited')}@example.com`
      const project = {
        ...made,
        banned,
        guest,
        deploymentId: '',
        checkoutId: 'chk_none',
        deliveryId: 'dlv_none',
        shareId: 'shr_none',
        requestId: 'req_none',
        agentId: 'agn_none',
        approvalId: 'apv_none',
        invited: 'invited@example.com',
        memberId: member.id,
        invitationId: (await invite(made, invitedTo, 'viewer')).id,
      }
      for (const side of ['development', 'production'] as const) {
        const { path } = project[side]
        await developer.call('PUT', `${path}/config`, { stats: [{ key: 'score', title: word(side) }] })
        await developer.call('POST', `${path}/keys`, { type: 'secret', label: word(`${side}-label`) })
        await developer.call('PUT', `${path}/auth/providers/discord`, {
          clientId: word(side),
          clientSecret: word('secret'),
        })
      }
      return {
        project,
        words: [word(''), project.id, developer.id, developer.email, member.id, member.email, invitedTo],
        development: [word('development'), word('development-label')],
        production: [word('production'), word('production-label')],
      }
    }
  })
}
