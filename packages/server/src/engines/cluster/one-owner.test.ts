import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { clusterOnOwnRedis, startNodeProcess, until } from '../../testing/cluster.ts'
import { runs } from '../../testing/runs.ts'
import { startStallingProxy } from '../../testing/stalling-proxy.ts'
import type { ClusterTimings } from './cluster.ts'

/** All processes use the clock of one machine, so nearly no margin is needed. */
const TIMINGS = {
  heartbeatEveryMs: 300,
  lostAfterMs: 1_500,
  marginMs: 100,
  recoveryMs: 1_500,
} satisfies Partial<ClusterTimings>

const ROUNDS = runs(1, 10)

type Spoken = { fence: number; atNs: bigint }
type Contender = {
  node: Awaited<ReturnType<typeof startNodeProcess>>
  wire: Awaited<ReturnType<typeof startStallingProxy>>
  spoken: () => Spoken[]
}

/** Three processes that permanently claim the same name, each with a separate connection to one Redis. */
async function setUp(t: TestContext, timings: Partial<ClusterTimings>) {
  const { redis, operator } = await clusterOnOwnRedis(t)
  const folder = mkdtempSync(join(tmpdir(), 'svc-cluster-'))
  const contenders: Contender[] = []
  t.after(async () => {
    await Promise.all(contenders.map(({ node, wire }) => Promise.all([node.kill(), wire.stop()])))
    rmSync(folder, { recursive: true })
  })

  async function startContender() {
    const wire = await startStallingProxy(redis.port)
    const speaking = join(folder, String(contenders.length))
    writeFileSync(speaking, '')
    const contendFor = { name: 'room:a', speaking }
    const node = await startNodeProcess({ redisUrl: wire.url, options: { timings }, contendFor })
    contenders.push({ node, wire, spoken: () => linesOf(speaking) })
  }
  for (let i = 0; i < 3; i++) await startContender()
  const spoken = () => contenders.flatMap((each) => each.spoken())

  async function speaker() {
    const last = await until(lastOf, (found) => found !== undefined)
    const owner = contenders.find((each) => each.spoken().some(({ fence }) => fence === last?.fence))
    assert(owner && last)
    return { ...owner, fence: last.fence }
  }
  const lastOf = () =>
    spoken().reduce<Spoken | undefined>((a, b) => (a && a.fence > b.fence ? a : b), undefined)

  /** Waits until a process acts with a larger fence. */
  const untilSpokenAfter = (fence: number) => until(lastOf, (last) => (last?.fence ?? 0) > fence)

  return { redis, operator, speaker, untilSpokenAfter, spoken, startContender }
}

function linesOf(path: string): Spoken[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => {
    const [fence = '', at = ''] = line.split(' ')
    return { fence: Number(fence), atNs: BigInt(at) }
  })
}

/** An owner with a larger fence must have acted later than all with a smaller one. All processes read the same monotonic clock. */
function overlaps(spoken: Spoken[]): string[] {
  const inOrder = spoken.toSorted((a, b) => Number(a.atNs - b.atNs))
  return inOrder.flatMap(({ fence, atNs }, i) => {
    const before = inOrder[i - 1]
    return before && before.fence > fence
      ? [`${fence} at ${atNs} after ${before.fence} at ${before.atNs}`]
      : []
  })
}

test('at most one node owns a name under freezes, partitions, kills and a flushed Redis', async (t) => {
  const { redis, operator, speaker, untilSpokenAfter, spoken, startContender } = await setUp(t, TIMINGS)

  for (let round = 0; round < ROUNDS; round++) {
    const frozen = await speaker()
    frozen.node.freeze()
    await untilSpokenAfter(frozen.fence)
    frozen.node.wake()

    const cutOff = await speaker()
    cutOff.wire.stall()
    await untilSpokenAfter(cutOff.fence)
    cutOff.wire.resume()
    await cutOff.node.returns.next()

    const answeredLate = await speaker()
    answeredLate.wire.stallAnswers()
    // Three heartbeats, or pings of its connections.
    await answeredLate.wire.passed('request', 3)
    answeredLate.wire.resume()
    await answeredLate.wire.passed('answer', 1)
    answeredLate.wire.stall()
    await untilSpokenAfter(answeredLate.fence)
    answeredLate.wire.resume()

    const beforeFlush = await speaker()
    await operator.flushAll()
    await untilSpokenAfter(beforeFlush.fence)

    const cutOffAndFlushed = await speaker()
    cutOffAndFlushed.wire.stall()
    await operator.flushAll()
    await untilSpokenAfter(cutOffAndFlushed.fence)
    cutOffAndFlushed.wire.resume()

    const doomed = await speaker()
    await doomed.node.kill()
    await untilSpokenAfter(doomed.fence)
    await startContender()

    const all = await speaker()
    process.kill(redis.pid, 'SIGSTOP')
    await until(
      () => all.node.isLive(),
      (isLive) => isLive === false,
    )
    process.kill(redis.pid, 'SIGCONT')
    await untilSpokenAfter(all.fence)
  }

  assert.ok(new Set(spoken().map(({ fence }) => fence)).size > 7 * ROUNDS)
  assert.deepEqual(overlaps(spoken()), [])
})

test('self-test: without the safety margin, two nodes act as owner and the check finds it', async (t) => {
  const { speaker, untilSpokenAfter, spoken } = await setUp(t, { ...TIMINGS, marginMs: -60_000 })

  const cutOff = await speaker()
  cutOff.wire.stall()
  const next = await untilSpokenAfter(cutOff.fence)
  await until(
    () => cutOff.spoken().at(-1)?.atNs ?? 0n,
    (atNs) => atNs > (next?.atNs ?? 0n),
  )

  assert.notDeepEqual(overlaps(spoken()), [])
})
