import { newAgent } from '../../src/testing/agents.ts'
import { invite, newMember } from '../../src/testing/members.ts'
import { topUp } from '../../src/testing/money.ts'
import type { Service } from '../../src/testing/service.ts'

export type Fixtures = Awaited<ReturnType<typeof newFixtures>>
export type Canary = Awaited<ReturnType<typeof plantCanary>>

const PASSWORD = 'correct horse'
/** A stat with a leaderboard, a secret of the functions, a save of the players. */
export const BOARD_KEY = 'best'
export const SECRET_NAME = 'FUZZ'
export const SAVE_KEY = 'fuzz'
const MORE_THAN_A_SESSION_MS = 31 * 86_400_000

let count = 0

const EVERYTHING_ON = {
  features: {
    emailLogin: true,
    saves: true,
    stats: true,
    multiplayer: true,
    realtimeChannels: true,
    hosting: true,
  },
  stats: [
    { key: 'points' },
    { key: BOARD_KEY, aggregation: 'max', leaderboard: { periods: ['allTime', 'daily'] } },
  ],
  share: {
    images: { enabled: true },
    links: { enabled: true },
    tracking: { enabled: true },
    inAppBrowser: { enabled: true },
  },
}

/** An expired token. Create it before all other sign-ups, because it moves the clock. */
export async function expiredToken(service: Service): Promise<string> {
  const { token } = await service.newDeveloper()
  service.clock.advance(MORE_THAN_A_SESSION_MS)
  return token
}

/** These endpoints destroy data that other requests of a round need, so each of them has a separate developer as its caller. */
const CONSUMING_ENDPOINTS = [
  'deleteProject',
  'revokeKey',
  'logOut',
  'changePassword',
  'verifyEmail',
  'deleteMe',
  'endOwnSession',
]

/**
 * The callers of one round and the ids that its requests use. The requests consume some of them, so every round has its own
 * fixtures.
 */
export async function newFixtures(service: Service, expired: string, canary: Canary) {
  const [caller, otherDeveloper] = [await newTestDeveloper(service), await newTestDeveloper(service)]
  const spares = new Map<string, TestDeveloper>()
  for (const endpoint of CONSUMING_ENDPOINTS) spares.set(endpoint, await newTestDeveloper(service))

  const { call } = caller.project.developer
  await topUp(service, caller.project.developer, 500)
  for (const { path } of [caller.project.development, caller.project.production]) {
    await call('POST', `${path}/functions/enable`, {})
    await call('PUT', `${path}/functions/secrets/${SECRET_NAME}`, { value: 'fuzz' })
  }
  const { body } = await call('POST', `${caller.project.development.path}/keys`, { type: 'secret' })
  await call('DELETE', `/v1/projects/${caller.project.id}/keys/${body.key.id}`)
  const member = await newMember(service, caller.project, 'admin')
  const invitation = await invite(caller.project, `invited${count}@example.com`, 'viewer')
  const developerFor = (endpoint: string) => spares.get(endpoint) ?? caller
  return {
    password: PASSWORD,
    caller,
    otherDeveloper,
    developerFor,
    revokedKey: String(body.plaintext),
    expired,
    canary,
    memberId: member.id,
    invitation,
    ...(await newAgentWithApproval(service, caller)),
  }
}

/** An agent whose call waits for a decision. */
async function newAgentWithApproval(service: Service, { project, playerIds }: TestDeveloper) {
  const { development } = project
  const { id, call } = await newAgent(service, project, development, { tools: ['delete_player'] })
  const { body } = await call('POST', `${development.path}/players/${playerIds[0]}/delete`)
  return { agentId: id, approvalId: String(body.error.details.approvalId) }
}

export type TestDeveloper = Awaited<ReturnType<typeof newTestDeveloper>>

async function newTestDeveloper(service: Service) {
  const email = `fuzz${++count}@example.com`
  const developer = await service.newDeveloper(email)
  const project = await service.newProject(developer)
  for (const { path } of [project.development, project.production]) {
    await developer.call('PUT', `${path}/config`, EVERYTHING_ON)
    await developer.call('PUT', `${path}/auth/providers/discord`, { clientId: 'id', clientSecret: 'secret' })
  }
  const playerOf = async (side: typeof project.development): Promise<string> => {
    const { accessToken } = (await side.public('POST', '/v1/auth/guest', {})).body
    const headers = { authorization: `Bearer ${accessToken}` }
    await side.public('PUT', `/v1/saves/${SAVE_KEY}`, { data: 1 }, headers)
    return accessToken
  }
  const accessTokens = {
    development: await playerOf(project.development),
    production: await playerOf(project.production),
  }
  /** The players that developers ban and delete; they send no requests. */
  const playerIds: string[] = []
  for (const side of [project.development, project.production])
    playerIds.push((await side.public('POST', '/v1/auth/guest', {})).body.player.id)
  const { body: share } = await project.development.server('POST', '/v1/admin/share/links', { label: 'fuzz' })
  const [mail] = await service.mailsTo(email)
  const verifyToken = /#token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
  return {
    email,
    token: developer.token,
    project,
    accessTokens,
    playerIds,
    shareId: share.link.id as string,
    keys: project.keys.map(({ id }) => id),
    verifyToken,
  }
}

/** Creates a tenant that no request addresses. Its data must not change, and its texts must not appear in any response. */
export async function plantCanary(service: Service) {
  const word = () => `canary${crypto.randomUUID().replaceAll('-', '')}`
  const words = {
    email: `${word()}@example.com`,
    name: word(),
    title: word(),
    player: word().slice(0, 32),
    label: word(),
    clientId: word(),
    secret: word(),
  }
  const developer = await service.newDeveloper(words.email)
  const project = await service.newProject(developer, words.name.slice(0, 30))
  const config = { stats: [{ key: 'score', title: words.title }] }

  for (const { path, public: app } of [project.development, project.production]) {
    await developer.call('PUT', `${path}/config`, config)
    await app('POST', '/v1/auth/guest', { displayName: words.player })
    await developer.call('POST', `${path}/keys`, { type: 'secret', label: words.label })
    await developer.call('PUT', `${path}/auth/providers/discord`, {
      clientId: words.clientId,
      clientSecret: words.secret,
    })
  }

  return {
    id: project.id,
    keyId: project.keys[0]?.id ?? '',
    words: [
      ...Object.values(words),
      words.name.slice(0, 30),
      developer.token,
      ...project.keys.map(({ key }) => key),
    ],

    /** All data of the tenant, as text. Signs in again, because the clock may have been moved past the end of the session. */
    async snapshot(): Promise<string> {
      // The last use of its own keys is written once a minute. A long run would take that for a change, so write it now.
      await service.everyMinute()
      const { body: session } = await service.call('POST', '/v1/developers/login', {
        email: words.email,
        password: PASSWORD,
      })
      const read = async (path: string) => (await service.withToken(session.token)('GET', path)).body
      const sides = [project.development.path, project.production.path]
      const places = sides.flatMap((side) =>
        [
          'keys',
          'config',
          'config/versions',
          'config/versions/1',
          'features',
          'auth/providers',
          'overview',
          'players',
          'appeals',
        ].map((part) => `${side}/${part}`),
      )
      const answers = [await read('/v1/projects'), await read(`/v1/projects/${project.id}/audit?limit=200`)]
      for (const place of places) answers.push(await read(place))
      // The dates in it depend on the clock.
      for (const answer of answers) delete answer.dailyActives
      const sealed = await service.db.search((q) => q.selectFrom('secrets').selectAll().orderBy('id'))
      const ids = project.environments.map(({ id }) => id)
      return JSON.stringify([answers, sealed.filter((row) => ids.some((id) => row.id.includes(id)))])
    },
  }
}
