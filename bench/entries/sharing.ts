import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

import type { Entry } from '../harness.ts'
import { startLoad, type Target } from '../load.ts'
import type { Metrics } from '../metrics.ts'
import { cpuMs } from '../process-stats.ts'
import { cardLines, drawFirst, drawMany, SATORI } from '../targets/cards.ts'
import type { Request } from '../targets/requests.ts'
import { ON_SQLITE, onSqlite } from '../targets/services.ts'
import { seedSharing } from '../targets/sharing.ts'

const HOSTED_FILE = 'hosted file, same bytes'
const SAVE_WRITE = 'save write'
const ALONE = 'nobody draws'
const ELSEWHERE = 'a service beside it draws'
/** Every visit of a player is counted once per link and day, so a round has this many new ones. */
const VISITS_PER_ROUND = 1_500
/** About a fifth of what the service can answer; with more, the generator and the drawing compete for the two cores. */
const READS = { perSecond: 2_000 }

export async function sharingEntries(
  opened: AsyncDisposableStack,
  { connections, withPeers }: { connections: number; withPeers: boolean },
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const service = await onSqlite(opened, seedSharing)
  const { requests } = service
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  opened.defer(() => agent.destroy())

  const beside = await onSqlite(opened, seedSharing)
  const readSaves = (ms: number) => load(service, requests.saveRead, ms, READS)
  const whileDrawing = async (drawing: typeof service, ms: number) => {
    let isOver = false
    const drawCards = async () => {
      while (!isOver) await drawNew(drawing, agent, drawing.requests.nextLink())
    }
    const drawn = drawCards()
    const metrics = await readSaves(ms)
    isOver = true
    await drawn
    return metrics
  }

  return [
    {
      name: 'sharing card',
      about: 'The stored card of a link, about 10 KB, on the host of its app.',
      comparedMetric: 'cpuMicros',
      baselines: [HOSTED_FILE],
      lines: [
        {
          name: ON_SQLITE,
          measure: (ms) => load(service, [requests.card], ms),
          goals: [{ number: 9, baseline: HOSTED_FILE, atMost: 1.1 }],
        },
        { name: HOSTED_FILE, measure: (ms) => load(service, [requests.file], ms) },
      ],
    },
    {
      name: 'sharing visit',
      about:
        'A visit of a player that is counted, and a save of 500 bytes, both from the same simple client.',
      comparedMetric: 'cpuMicros',
      baselines: [SAVE_WRITE],
      lines: [
        {
          name: 'visit',
          measure: () =>
            sendAll(service, agent, Array.from({ length: VISITS_PER_ROUND }, requests.nextVisit)),
          goals: [{ number: 10, baseline: SAVE_WRITE, atMost: 1.2 }],
        },
        {
          name: SAVE_WRITE,
          measure: () =>
            sendAll(
              service,
              agent,
              Array.from({ length: VISITS_PER_ROUND / 100 }, () => requests.saveWrite).flat(),
            ),
        },
      ],
    },
    {
      name: 'sharing save read',
      about: `${READS.perSecond} saves per second are read while cards are drawn, one after the other. The drawing process needs a core of this machine, hence the comparison with a second service that draws.`,
      comparedMetric: 'p99Ms',
      baselines: [ALONE, ELSEWHERE],
      lines: [
        { name: ALONE, measure: readSaves },
        { name: ELSEWHERE, measure: (ms) => whileDrawing(beside, ms) },
        {
          name: 'it draws',
          measure: (ms) => whileDrawing(service, ms),
          goals: [{ number: 10, baseline: ELSEWHERE, atMost: 1.1 }],
        },
      ],
    },
    {
      name: 'sharing first card',
      about: 'A new drawing process and its first card. CPU time and memory are those of the process.',
      comparedMetric: 'cpuMs',
      baselines: [SATORI],
      lines: cardLines(withPeers, drawFirst, [{ number: 10, metric: 'wallMs', atMost: 150 }]),
    },
    {
      name: 'sharing next card',
      about: 'A hundred cards one after the other; CPU time and memory of the drawing process.',
      comparedMetric: 'cpuMicros',
      baselines: [SATORI],
      lines: cardLines(withPeers, drawMany, [
        { number: 10, metric: 'p50Ms', atMost: 30 },
        { number: 10, metric: 'rssMb', atMost: 250 },
      ]),
    },
  ]
}

/** Sends each request once; CPU time of the service per request. */
async function sendAll(target: Target, agent: Agent, requests: readonly Request[]): Promise<Metrics> {
  const before = cpuMs(target.pid)
  await Promise.all(requests.map((one) => send(target, agent, one)))
  return { cpuMicros: ((cpuMs(target.pid) - before) * 1_000) / requests.length }
}

/** Creates a link and waits for its card. */
async function drawNew(target: Target, agent: Agent, creation: Request) {
  const created = JSON.parse((await send(target, agent, creation)).toString()) as { imageUrl: string }
  await send(target, agent, { path: new URL(created.imageUrl).pathname, headers: {}, status: 200 })
}

function send({ port }: Target, agent: Agent, { method = 'GET', path, headers, body, status }: Request) {
  return new Promise<Buffer>((resolve, reject) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    request(
      { host: '127.0.0.1', port, agent, method, path, headers: { ...headers, ...type } },
      (response) => {
        buffer(response).then((answer) => {
          if (response.statusCode === status) resolve(answer)
          else reject(new Error(`${method} ${path} answers ${response.statusCode}: ${answer.toString()}`))
        }, reject)
      },
    )
      .on('error', reject)
      .end(body)
  })
}
