import { setTimeout as pause } from 'node:timers/promises'

import { createProcessSfu } from '../../packages/server/src/engines/sfu/process.ts'
import { comesTrue } from '../../packages/server/src/testing/in-time.ts'
import { startVoiceBots, type VoiceBot } from '../../packages/server/src/testing/voice-bots.ts'
import { type Metrics, percentile } from '../metrics.ts'
import { cpuMs, rssMb } from '../process-stats.ts'
import { runWorkerLoop } from '../worker-loop.ts'

/** `call`: a call of so many people in which some talk. `joins`: participants join and leave, one after another. `manyJoins`: so many. */
export type VoiceTask =
  | { what: 'call'; of: RelayServer; people: number; speakers: number; ms: number }
  | { what: 'joins'; ms: number }
  | { what: 'manyJoins'; joins: number }

/** `Janus, two threads`: for all connections together. Otherwise it has one for each. */
export type RelayServer = 'svc' | 'Janus' | 'Janus, two threads'

const SETTINGS = { host: '127.0.0.1', port: 0, publicIp: undefined, repairsTurn: false }
const HOW = { canSpeak: true, address: '127.0.0.1', ptime: 20 } as const
const CALL = 'call'
const RENEW_MS = 1_000
/** The process reports once a second. */
const CALL_MS_MIN = 3_000
const ARRIVED_MS = 2_000
const JOINING_TOGETHER = 5

type Relay = ReturnType<typeof createProcessSfu>

const bots = startVoiceBots()
/** Each call has its own relay server, and its members stay connected from round to round. The first ones of `listening` are those of `talking`. */
const calls = new Map<string, Promise<OpenCall>>()
type OpenCall = { pid: number; talking: VoiceBot[]; listening: VoiceBot[]; loopDelayMs?: () => number }
let relayOfJoins: Relay | undefined
let count = 0

runWorkerLoop((task: VoiceTask): Promise<Metrics> => {
  switch (task.what) {
    case 'call':
      return measureCall(task)
    case 'joins':
      return measureJoins(task.ms)
    case 'manyJoins':
      return measureMemory(task.joins)
  }
})

function startRelay(): Relay {
  const relay = createProcessSfu(SETTINGS, { log: () => {}, slots: 6 })
  relay.on({ speakers: () => {}, gone: () => {}, lost: () => {} })
  relay.start()
  setInterval(() => relay.renew([CALL]), RENEW_MS)
  return relay
}

async function join(relay: Relay): Promise<{ bot: VoiceBot; leave(): Promise<unknown> }> {
  const who = { callId: CALL, memberId: String(++count) }
  let offer = ''
  const bot = await bots.join({
    async publish(sdp) {
      const admitted = await relay.admit(who, sdp, HOW)
      offer = admitted.offer
      return admitted.answer
    },
    slotsOffer: async () => offer,
    answer: (sdp) => relay.answer(who, sdp),
  })
  return {
    bot,
    leave() {
      relay.remove(who)
      return bot.close()
    },
  }
}

type CallTask = Extract<VoiceTask, { what: 'call' }>

async function openCall({ of, people, speakers }: CallTask): Promise<OpenCall> {
  if (of !== 'svc') {
    const { ownAddress, startJanus } = await import('./janus.ts')
    const janus = await startJanus({ eventLoops: of === 'Janus' ? 0 : 2 })
    const { talking, listening } = await janus.call(
      startVoiceBots({ address: ownAddress() }),
      people,
      speakers,
    )
    return { pid: janus.pid, talking, listening }
  }
  const relay = startRelay()
  const members: VoiceBot[] = []
  while (members.length < people) members.push((await join(relay)).bot)
  return {
    pid: relay.pid ?? 0,
    talking: members.slice(0, speakers),
    listening: members,
    loopDelayMs: () => relay.load().loopDelayMs,
  }
}

const total = (counts: number[]) => counts.reduce((sum, each) => sum + each, 0)

async function measureCall(task: CallTask): Promise<Metrics> {
  const { of, people, ms } = task
  const key = `${of} ${people}`
  const opening = calls.get(key) ?? openCall(task)
  calls.set(key, opening)
  const { pid, talking, listening, loopDelayMs } = await opening
  const sent = async () => total(await Promise.all(talking.map((bot) => bot.sent())))
  const heard = async () => total(await Promise.all(listening.map((bot) => bot.heard())))
  const before = { sent: await sent(), heard: await heard(), cpu: cpuMs(pid), at: performance.now() }
  for (const bot of talking) await bot.talk()
  await pause(Math.max(ms, CALL_MS_MIN))
  const delayMs = loopDelayMs?.()
  for (const bot of talking) await bot.stopTalking()
  const expected = ((await sent()) - before.sent) * (people - 1)
  const arrived = async () => (await heard()) - before.heard
  await comesTrue('all packets have arrived', async () => (await arrived()) >= expected, ARRIVED_MS).catch(
    () => {},
  )
  const [packets, cpu, elapsedMs] = [await arrived(), cpuMs(pid) - before.cpu, performance.now() - before.at]
  return {
    cpuMicros: (cpu * 1_000) / packets,
    perSecond: (packets * 1_000) / elapsedMs,
    corePercent: (cpu * 100) / elapsedMs,
    lost: expected - packets,
    ...(delayMs !== undefined && { loopDelayMs: delayMs }),
    rssMb: rssMb(pid),
  }
}

async function measureJoins(ms: number): Promise<Metrics> {
  const relay = (relayOfJoins ??= startRelay())
  const tookMs: number[] = []
  for (const end = performance.now() + ms; performance.now() < end;) {
    const startedAt = performance.now()
    const { leave } = await join(relay)
    tookMs.push(performance.now() - startedAt)
    await leave()
  }
  const ascending = tookMs.toSorted((a, b) => a - b)
  return {
    perSecond: (tookMs.length * 1_000) / ms,
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
    rssMb: rssMb(relay.pid ?? 0),
  }
}

/** Memory that the process still uses for participants who have left. */
async function measureMemory(joins: number): Promise<Metrics> {
  const relay = (relayOfJoins ??= startRelay())
  const before = rssMb(relay.pid ?? 0)
  for (let joined = 0; joined < joins; joined += JOINING_TOGETHER)
    await Promise.all(
      Array.from({ length: JOINING_TOGETHER }, async () => {
        const { bot, leave } = await join(relay)
        await bot.burst(5)
        await leave()
      }),
    )
  const after = rssMb(relay.pid ?? 0)
  return { rssMb: after, grownMb: after - before }
}
