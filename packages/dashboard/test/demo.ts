import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'

import { newAgent } from '../../server/src/testing/agents.ts'
import { deployFunctions } from '../../server/src/testing/deployed-functions.ts'
import { browserFor } from '../../server/src/testing/hosted-apps.ts'
import { invite } from '../../server/src/testing/members.ts'
import { topUp } from '../../server/src/testing/money.ts'
import type { TestEnvironment } from '../../server/src/testing/service.ts'
import type { TestProject } from '../../server/src/testing/suite.ts'
import { type Dashboard, newGuest, report } from './fixtures.ts'

const DAY_MS = 86_400_000
const DAYS = 14
const NAMES = [
  'Ada',
  'Noor',
  'Kenji',
  'Lía',
  'Jonas',
  'Priya',
  'Tomás',
  'Wren',
  'Sora',
  'Mateo',
  'Ines',
  'Otis',
]
const LAST = ['', ' V.', '_fox', ' the Bold', '77', ' K.', '.gg', ' Nova']
const CONFIG = {
  version: 1,
  features: {
    saves: true,
    stats: true,
    multiplayer: true,
    hosting: true,
    emailLogin: true,
    realtimeChannels: true,
  },
  stats: [
    { key: 'points', aggregation: 'max', maxPerSubmit: 500, leaderboard: { periods: ['allTime', 'weekly'] } },
    { key: 'wins' },
  ],
  multiplayer: {
    modes: [
      { key: 'duel', minPlayers: 2, maxPlayers: 2 },
      { key: 'squad', minPlayers: 2, maxPlayers: 4 },
      { key: 'arena', minPlayers: 2, maxPlayers: 8 },
    ],
  },
  share: {
    images: { enabled: true, title: 'Star Duel' },
    links: { enabled: true },
    tracking: { enabled: true },
  },
}
const TEAM = [
  ['admin', 'noor@example.com', 'Noor Haddad'],
  ['developer', 'kenji@example.com', 'Kenji Sato'],
  ['moderator', 'wren@example.com', 'Wren Ellis'],
] as const
const APPEALS = [
  ['Aimbot in ranked duels', 'I was on my brother’s computer. Please look at the replay.'],
  ['Insulting other players in the lobby', 'I am sorry, it was a bad evening. It will not happen again.'],
  ['Impossible scores', 'My points came from the weekend event, which counts double.'],
]
const CODE = `export default {
  fetch: (request) => new Response('', { status: request.url.endsWith('/fails') ? 500 : 200 }),
  scheduled: () => console.log('daily ranking written'),
}`

type Player = Awaited<ReturnType<typeof newGuest>>

/** Two weeks of a small game: the same players, scores and changes each time. */
export async function fillDashboard(dashboard: Dashboard) {
  const { service } = dashboard
  let seed = 42
  const chance = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647
  const pick = (list: readonly string[]) => list[Math.floor(chance() * list.length)] ?? ''

  const project = await dashboard.newProject('Star Duel')
  const { development, developer, token } = project
  for (const [role, email, name] of TEAM) {
    const member = await dashboard.addMember(project, role, email)
    assert.equal((await member.call('PATCH', '/v1/developers/me', { name })).status, 200)
  }
  assert.equal(await service.signUp.setOperator(developer.email, true), true)
  assert.equal((await developer.call('PATCH', '/v1/developers/me', { name: 'Mira Okafor' })).status, 200)
  const empty = await service.newProject(developer, 'Paper Tide')
  assert.equal((await development.server('PUT', '/v1/config', CONFIG)).status, 200)
  await topUp(service, developer, 2_000)
  await deployFunctions(development, CODE, {
    bindings: [{ type: 'db', name: 'SCORES' }],
    crons: ['0 3 * * *'],
    message: 'daily ranking',
  })
  for (const name of NAMES.slice(0, 5)) await newGuest(project.production, name)
  const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''

  const players: Player[] = []
  for (let day = 0; day < DAYS; day++) {
    if (day === DAYS - 1) await useFunctions(dashboard, `${project.slug}--dev--fn`, chance)
    for (let count = 12 + Math.floor(chance() * 12); count > 0; count--) {
      const player = await newGuest(development, pick(NAMES) + pick(LAST))
      players.push(player)
      const points = Math.floor(chance() * 480)
      assert.equal((await report(development, player, { points, wins: 1 + (points % 7) })).status, 200)
    }
    service.money.noteUsage(environmentId, 'voice.relayMinutes', 200 + Math.floor(chance() * 400))
    service.money.noteUsage(environmentId, 'functions.requests', 100_000 + Math.floor(chance() * 400_000))
    service.money.noteUsage(environmentId, 'functions.rowsWritten', Math.floor(chance() * 60_000))
    if (day % 3 === 0) await deploy(dashboard, development, day)
    if (day === 7) await goBack(development, 2)
    await service.everyMinute()
    await service.everyHour()
    if (day < DAYS - 1) service.clock.advance(DAY_MS)
  }
  await goBack(development, 4)
  const banned = players.splice(0, APPEALS.length)
  for (const [index, player] of banned.entries()) await ban(development, player, APPEALS[index] ?? [])
  // Access tokens of earlier days have expired.
  for (const player of players.slice(-4))
    assert.equal((await report(development, player, { points: 9_000 })).status, 200)
  const playing = await Promise.all(
    Array.from({ length: 22 }, () => newGuest(development, pick(NAMES) + pick(LAST))),
  )
  for (const name of ['ada', 'noor', 'kenji']) {
    const account = { email: `${name}@example.com`, password: 'correct horse', displayName: name }
    assert.equal((await development.public('POST', '/v1/auth/email/signup', account)).status, 200)
  }
  for (const label of ['Launch post', 'Newsletter']) {
    const link = await development.server('POST', '/v1/admin/share/links', { label })
    assert.equal(link.status, 201)
    for (let visits = 3 + Math.floor(chance() * 9); visits > 0; visits--)
      await development.public(
        'POST',
        '/v1/share/visits',
        { shareId: link.body.link.id, landed: true },
        {
          'user-agent': `Mozilla/5.0 (X11; Linux x86_64; rv:${100 + visits}.0) Gecko/20100101 Firefox/${visits}`,
        },
      )
  }
  const table = `CREATE TABLE best (name TEXT, points INT); INSERT INTO best VALUES ('Ada', 480), ('Noor', 455), ('Kenji', 430)`
  const made = await development.server('POST', '/v1/admin/functions/db/SCORES/query', { sql: table })
  assert.equal(made.status, 200)
  await development.server('POST', '/v1/admin/functions/crons/run', { cron: '0 3 * * *' })
  await invite(project, 'ines@example.com', 'viewer')
  const sockets = await openRooms(dashboard, development, playing)
  return {
    project,
    empty,
    token,
    approvalId: await askToPush(dashboard, project),
    playerId: banned[0]?.id ?? '',
    close: () => sockets.forEach((socket) => socket.close()),
  }
}

/** An agent asks for an approval to change the config. */
async function askToPush({ service }: Dashboard, project: TestProject): Promise<string> {
  const { production } = project
  assert.equal((await production.server('PUT', '/v1/config', CONFIG)).status, 200)
  const agent = await newAgent(service, project, production, { label: 'Claude Code', tools: ['push_config'] })
  const [duel, squad, arena] = CONFIG.multiplayer.modes
  const { body } = await agent.call('PUT', `${production.path}/config`, {
    ...CONFIG,
    features: { ...CONFIG.features, voice: true },
    multiplayer: { modes: [duel, squad, { ...arena, maxPlayers: 12 }] },
  })
  assert.equal(body.error.code, 'approval_required')
  return body.error.details.approvalId
}

async function ban(side: TestEnvironment, { id, refreshToken }: Player, [reason, message]: string[]) {
  assert.equal((await side.server('POST', `/v1/admin/players/${id}/ban`, { reason })).status, 200)
  assert.equal((await side.public('POST', '/v1/auth/appeal', { refreshToken, message })).status, 201)
}

async function deploy({ baseUrl }: Dashboard, side: TestEnvironment, day: number) {
  const page = `<!doctype html><title>Star Duel</title><h1>Day ${day}</h1>`
  const sha256 = createHash('sha256').update(page).digest('hex')
  const files = [{ path: 'index.html', sha256, size: Buffer.byteLength(page) }]
  const message = `balance of day ${day + 1}`
  const { body } = await side.server('POST', '/v1/deployments', { files, message })
  const uploaded = await fetch(`${baseUrl}/v1/blobs/${sha256}`, {
    method: 'PUT',
    headers: { 'X-Svc-Key': side.secretKey, 'Content-Type': 'application/octet-stream' },
    body: page,
  })
  assert.equal(uploaded.status, 200)
  const path = `/v1/deployments/${body.deploymentId}/finalize`
  assert.equal((await side.server('POST', path, { activate: true })).status, 200)
}

/** Three quarters of an hour with a few requests each minute. */
async function useFunctions({ service }: Dashboard, host: string, chance: () => number) {
  const visit = await browserFor(service)
  for (let minute = 0; minute < 45; minute++) {
    for (let count = 2 + Math.floor(chance() * 9); count > 0; count--)
      assert.ok((await visit(host, chance() < 0.08 ? '/fails' : '/')).status < 501)
    await service.everyMinute()
    service.clock.advance(60_000)
  }
}

const goBack = async (side: TestEnvironment, version: number) =>
  assert.equal((await side.server('POST', `/v1/deployments/${version}/activate`, {})).status, 200)

/** Rooms of three modes, whose players stay connected. */
async function openRooms({ baseUrl }: Dashboard, side: TestEnvironment, players: readonly Player[]) {
  const sockets: WebSocket[] = []
  const enter = async ({ accessToken }: Player, frame: object) => {
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/realtime`)
    sockets.push(socket)
    const next = (type: string) =>
      new Promise<{ room?: { id: string } }>((resolve, reject) => {
        socket.onclose = () => reject(new Error('the connection was closed'))
        socket.onmessage = ({ data }) => {
          const frame = JSON.parse(String(data))
          if (frame.t === type) resolve(frame)
        }
      })
    await new Promise((resolve) => (socket.onopen = resolve))
    const ready = next('welcome')
    socket.send(JSON.stringify({ t: 'auth', key: side.publishableKey, token: accessToken }))
    await ready
    const joined = next('room_joined')
    socket.send(JSON.stringify({ rid: 1, ...frame }))
    return (await joined).room?.id
  }
  const waiting = [...players]
  const sizes = [
    ['duel', 2],
    ['squad', 3],
    ['arena', 5],
    ['duel', 1],
    ['squad', 4],
    ['duel', 2],
    ['arena', 3],
    ['squad', 2],
  ] as const
  for (const [mode, size] of sizes) {
    const [host, ...others] = waiting.splice(0, size)
    if (!host) break
    const roomId = await enter(host, { t: 'create', mode })
    for (const other of others) await enter(other, { t: 'join', roomId })
  }
  return sockets
}
