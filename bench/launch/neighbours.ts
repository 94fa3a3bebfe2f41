import { claimsOf, newGuest, newSession } from '../targets/guests.ts'
import { call, newProject } from '../targets/service.ts'
import { type Answers, type Finding, load, type Sent, type Situation, startCloudNodes } from './situation.ts'

const NAME = 'neighbours'
const CROWD_PER_SECOND = 1_000
const SAVES_PER_SECOND = 20
const SECONDS = 20
/** Players whose stats are written, each time in a transaction that waits for the others of its game: their audit log is one chain. */
const CROWD = 200
const RATIO_MAX = 3

/** A game that takes all transactions it can get, and the first saves of another game beside it. */
export const neighbours: Situation = {
  name: NAME,
  async run(opened, { checkout, scale, log }) {
    const { nodes } = await startCloudNodes(opened, { checkout })
    const port = nodes[0]?.port ?? 0
    const seconds = Math.max(2, Math.round(SECONDS * scale))
    const crowd = await crowdOf(port)
    const firstSaves = await firstSavesOf(port, SAVES_PER_SECOND * seconds)
    const saving = (key: string) =>
      load(nodes, { perSecond: SAVES_PER_SECOND, seconds, next: firstSaves(key) })

    const alone = await saving('alone')
    log(`first saves alone: ${String(alone)}`)
    const [beside, crowded] = await Promise.all([
      saving('beside'),
      load(nodes, { perSecond: CROWD_PER_SECOND, seconds: seconds + 2, next: crowd }),
    ])
    log(`beside ${CROWD_PER_SECOND} stats a second from another game’s server: ${String(beside)}`)
    log(`these stats: ${String(crowded)}`)
    return findingsOf(alone, beside)
  },
}

function findingsOf(alone: Answers, beside: Answers): Finding[] {
  const ratio = beside.p50 / alone.p50
  return [
    {
      what: 'first saves beside a game that takes all transactions: p50 with ÷ without',
      measured: `${ratio.toFixed(1)} × (${alone.p50.toFixed(1)} → ${beside.p50.toFixed(1)} ms)`,
      goal: `≤ ${RATIO_MAX} ×`,
      isMet: ratio <= RATIO_MAX,
    },
    {
      what: 'first saves beside it: refused',
      measured: `${beside.refused} of ${beside.count}`,
      goal: '0',
      isMet: beside.refused === 0,
    },
  ]
}

/** Values of stats from the server of the crowded game. */
async function crowdOf(port: number): Promise<(index: number) => Sent> {
  const { publishable, secret } = await newProject(port, 'Crowd')
  const headers = { 'x-svc-key': secret }
  const stats = [{ key: 'score', title: { en: 'Score' }, aggregation: 'max', source: 'server' }]
  await call(port, 'PUT', '/v1/config', headers, { version: 1, features: { stats: true }, stats })
  const players: string[] = []
  for (let i = 0; i < CROWD; i++) players.push(claimsOf(await newSession(port, publishable)).sub)
  return (index) => ({
    method: 'POST',
    path: `/v1/admin/x/players/${players[index % CROWD]}/stats`,
    headers,
    body: { stats: { score: index } },
  })
}

/** The first saves of so many guests, under a key that each of them has not used yet. */
async function firstSavesOf(
  port: number,
  players: number,
): Promise<(key: string) => (index: number) => Sent> {
  const { publishable, secret } = await newProject(port, 'Neighbour')
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features: { saves: true } })
  const tokens: string[] = []
  for (let i = 0; i < players; i++) tokens.push(await newGuest(port, publishable))
  return (key) => (index) => ({
    method: 'PUT',
    path: `/v1/saves/${key}`,
    headers: { 'x-svc-key': publishable, authorization: `Bearer ${tokens[index]}` },
    body: { data: { level: index } },
  })
}
