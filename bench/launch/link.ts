import type { Server } from '../processes.ts'
import { newGuest } from '../targets/guests.ts'
import { call, newProject } from '../targets/service.ts'
import { Answers, type Finding, load, type Situation, startCloudNodes } from './situation.ts'

/** Visits of programs are not counted. */
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SECONDS = 25
const VISITS_PER_SECOND = [333, 1_000]
/** Of another game, beside the visits. */
const FIRST_SAVES_PER_SECOND = 20
const FIRST_SAVES_MAX_RATIO = 3
const GUESTS_AT_ONCE = 16

/** A streamer shows one link: all who open it are counted, and another game does not notice. */
export const link: Situation = {
  name: 'link',
  async run(opened, { checkout, scale, log }) {
    const { nodes } = await startCloudNodes(opened, {
      checkout,
      settings: { SVC_TRUSTED_PROXIES: '1', SVC_SIGN_UP: 'open' },
    })
    const game = await shareGame(nodes[0] as Server)
    const other = await otherGame(nodes[0] as Server)
    const seconds = Math.max(2, SECONDS * scale)

    const saving = { perSecond: FIRST_SAVES_PER_SECOND, seconds }
    await firstSaves(nodes, other, { ...saving, seconds: 2 })
    const alone = await firstSaves(nodes, other, saving)
    log(`first saves of another game, alone: ${String(alone)}`)

    const findings: Finding[] = []
    let [acknowledged, address] = [0, 0]
    for (const perSecond of VISITS_PER_SECOND) {
      const players = await guests(nodes, game.publishable, Math.ceil((perSecond * seconds) / 2))
      const next = (index: number) => {
        const player = index % 2 === 0 ? players.pop() : undefined
        const { id: shareId, publishable } = game
        return {
          method: 'POST',
          path: '/v1/share/visits',
          headers: {
            'x-svc-key': publishable,
            'user-agent': PERSON,
            ...(player === undefined
              ? { 'x-forwarded-for': addressAt(address++) }
              : { authorization: player }),
          },
          body: { shareId, landed: true },
        }
      }
      const [visits, saves] = await Promise.all([
        load(nodes, { perSecond, seconds, next }),
        firstSaves(nodes, other, saving),
      ])
      acknowledged += visits.accepted
      const counted = await game.visits()
      log(
        `${perSecond} visits a second: ${String(visits)}; ${counted} counted of ${acknowledged} acknowledged`,
      )
      log(`first saves beside them: ${String(saves)}`)
      findings.push(...findingsOf(perSecond, { visits, ratio: counted / acknowledged, alone, saves }))
    }
    return findings
  },
}

type Measured = { visits: Answers; ratio: number; alone: Answers; saves: Answers }

function findingsOf(perSecond: number, { visits, ratio, alone, saves }: Measured): Finding[] {
  const slower = saves.p50 / alone.p50
  return [
    {
      what: `one link, ${perSecond} visits a second: refused`,
      measured: `${visits.refused} of ${visits.count}`,
      goal: '0',
      isMet: visits.refused === 0,
    },
    {
      what: `one link, ${perSecond} visits a second: counted ÷ acknowledged`,
      measured: ratio.toFixed(3),
      goal: '1.000',
      isMet: ratio === 1,
    },
    {
      what: `another game’s first saves beside ${perSecond} visits a second: p50 ÷ alone`,
      measured: `${slower.toFixed(1)} (${saves.p50.toFixed(1)} ms)`,
      goal: `≤ ${FIRST_SAVES_MAX_RATIO}`,
      isMet: slower <= FIRST_SAVES_MAX_RATIO,
    },
    {
      what: `another game’s first saves beside ${perSecond} visits a second: refused`,
      measured: `${saves.refused} of ${saves.count}`,
      goal: '0',
      isMet: saves.refused === 0,
    },
  ]
}

/** A game with one link that everybody opens. */
async function shareGame({ port }: Server) {
  const { publishable, secret } = await newProject(port, 'Streamed')
  const server = { 'x-svc-key': secret }
  const share = { links: { enabled: true }, tracking: { enabled: true } }
  await call(port, 'PUT', '/v1/config', server, { share })
  type NewLink = { link: { id: string } }
  const { link } = await call<NewLink>(port, 'POST', '/v1/admin/share/links', server, { label: 'Stream' })
  type Stats = { totals: { visits: number } }
  const visits = async () => (await call<Stats>(port, 'GET', '/v1/admin/share/stats', server)).totals.visits
  return { publishable, id: link.id, visits }
}

async function otherGame({ port }: Server): Promise<string> {
  const { publishable, secret } = await newProject(port, 'Other')
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features: { saves: true } })
  return publishable
}

/** New players who save for the first time. */
async function firstSaves(
  nodes: readonly Server[],
  publishable: string,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Answers> {
  const answers = new Answers()
  const key = { 'x-svc-key': publishable }
  const beginAt = performance.now()
  const firstSave = async (index: number) => {
    const { port } = nodes[index % nodes.length] as Server
    const dueAt = beginAt + (index * 1_000) / perSecond
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
    const authorization = `Bearer ${await newGuest(port, publishable)}`
    await call(port, 'PUT', '/v1/saves/slot1', { ...key, authorization }, { data: { level: 1 } })
    return performance.now() - dueAt
  }
  const all = Array.from({ length: perSecond * seconds }, (_, index) =>
    firstSave(index).then(
      (ms) => answers.add(200, ms),
      // `call` says the status only in its message.
      (error: Error) => answers.add(Number(/answers (\d+)/.exec(error.message)?.[1] ?? 0), 0),
    ),
  )
  await Promise.all(all)
  return answers
}

/** Headers of new players, created before the load. */
async function guests(nodes: readonly Server[], publishable: string, count: number): Promise<string[]> {
  const created: string[] = []
  let left = count
  const create = async (at: number) => {
    const { port } = nodes[at % nodes.length] as Server
    while (left-- > 0) created.push(`Bearer ${await newGuest(port, publishable)}`)
  }
  await Promise.all(Array.from({ length: GUESTS_AT_ONCE }, (_, at) => create(at)))
  return created
}

const addressAt = (index: number) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
