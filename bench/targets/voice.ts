import { setTimeout as pause } from 'node:timers/promises'

import { createProcessSfu } from '../../packages/server/src/engines/sfu/process.ts'
import { comesTrue } from '../../packages/server/src/testing/in-time.ts'
import { startVoiceBots, type VoiceBot } from '../../packages/server/src/testing/voice-bots.ts'
import { type Metrics, percentile } from '../metrics.ts'
import { cpuMs, rssMb } from '../process-stats.ts'
import { runWorkerLoop } from '../worker-loop.ts'

/** `call`: a call of so many people in which some talk. `joins`: participants join and leave, one after another. `manyJoins`: so many. */
export type VoiceTask =
  | { what: 'call'; people: number; speakers: number; ms: number }
  | { what: 'joins'; ms: number }
  | { what: 'manyJoins'; joins: number }

const SETTINGS = { host: '127.0.0.1', port: 0, publicIp: undefined, repairsTurn: false }
const HOW = { canSpeak: true, address: '127.0.0.1', ptime: 20 } as const
const RENEW_MS = 1_000
/** The process reports once a second. */
const CALL_MS_MIN = 3_000
const ARRIVED_MS = 2_000
const JOINING_TOGETHER = 5

const sfu = createProcessSfu(SETTINGS, { log: () => {}, slots: 6 })
sfu.on({ speakers: () => {}, gone: () => {}, lost: () => {} })
sfu.start()
const bots = startVoiceBots()
/** They stay connected from round to round. */
const calls = new Map<number, VoiceBot[]>()
setInterval(() => sfu.renew(['joins', ...[...calls.keys()].map(String)]), RENEW_MS)
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

async function join(callId: string): Promise<{ bot: VoiceBot; leave(): Promise<unknown> }> {
  const who = { callId, memberId: String(++count) }
  let offer = ''
  const bot = await bots.join({
    async publish(sdp) {
      const admitted = await sfu.admit(who, sdp, HOW)
      offer = admitted.offer
      return admitted.answer
    },
    slotsOffer: async () => offer,
    answer: (sdp) => sfu.answer(who, sdp),
  })
  return {
    bot,
    leave() {
      sfu.remove(who)
      return bot.close()
    },
  }
}

async function membersOf(people: number): Promise<VoiceBot[]> {
  const members = calls.get(people) ?? []
  calls.set(people, members)
  while (members.length < people) members.push((await join(String(people))).bot)
  return members
}

const total = (counts: number[]) => counts.reduce((sum, each) => sum + each, 0)

async function measureCall({ people, speakers, ms }: Extract<VoiceTask, { what: 'call' }>): Promise<Metrics> {
  const members = await membersOf(people)
  const talking = members.slice(0, speakers)
  const sent = async () => total(await Promise.all(talking.map((bot) => bot.sent())))
  const heard = async () => total(await Promise.all(members.map((bot) => bot.heard())))
  const pid = sfu.pid ?? 0
  const before = { sent: await sent(), heard: await heard(), cpu: cpuMs(pid), at: performance.now() }
  for (const bot of talking) await bot.talk()
  await pause(Math.max(ms, CALL_MS_MIN))
  const { loopDelayMs } = sfu.load()
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
    loopDelayMs,
    rssMb: rssMb(pid),
  }
}

async function measureJoins(ms: number): Promise<Metrics> {
  const tookMs: number[] = []
  for (const end = performance.now() + ms; performance.now() < end;) {
    const startedAt = performance.now()
    const { leave } = await join('joins')
    tookMs.push(performance.now() - startedAt)
    await leave()
  }
  const ascending = tookMs.toSorted((a, b) => a - b)
  return {
    perSecond: (tookMs.length * 1_000) / ms,
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
    rssMb: rssMb(sfu.pid ?? 0),
  }
}

/** Memory that the process still uses for participants who have left. */
async function measureMemory(joins: number): Promise<Metrics> {
  const before = rssMb(sfu.pid ?? 0)
  for (let joined = 0; joined < joins; joined += JOINING_TOGETHER)
    await Promise.all(
      Array.from({ length: JOINING_TOGETHER }, async () => {
        const { bot, leave } = await join('joins')
        await bot.burst(5)
        await leave()
      }),
    )
  const after = rssMb(sfu.pid ?? 0)
  return { rssMb: after, grownMb: after - before }
}
