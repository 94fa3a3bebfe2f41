import type { Entry, Goal } from '../harness.ts'
import type { Metrics } from '../metrics.ts'
import { startScript } from '../processes.ts'
import type { VoiceTask } from '../targets/voice.ts'

const CORE: Goal = { number: 9, metric: 'corePercent', atMost: 30 }
const MEMORY: Goal = { number: 9, metric: 'rssMb', atMost: 150 }
const NONE_LOST: Goal = { number: 9, metric: 'lost', atMost: 0 }
const JOIN: Goal = { number: 9, metric: 'p50Ms', atMost: 250 }
/** Joining 100 people takes time before the first measurement. */
const JOINING_MS = 60_000

/** The relay server for voice calls, with participants that have real connections and send the packets of a real tone. */
export function voiceEntries(opened: AsyncDisposableStack): Entry[] {
  const script = startScript<VoiceTask, Metrics>('targets/voice.ts')
  opened.defer(script.end)
  const call = (people: number, speakers: number) => ({
    name: `${people} people, ${speakers} talk`,
    measure: (ms: number) => script.ask({ what: 'call', people, speakers, ms }, ms + JOINING_MS),
  })

  return [
    {
      name: 'voice call',
      about:
        'The process of the relay server; CPU per forwarded packet of 20 ms. Loop delay is that of the process, p99. All calls of this table are open at the same time; only one has speakers.',
      comparedMetric: 'cpuMicros',
      baselines: [],
      lines: [
        { ...call(9, 3), goals: [NONE_LOST] },
        { ...call(20, 4), goals: [NONE_LOST] },
        { ...call(50, 4), goals: [NONE_LOST] },
        { ...call(100, 4), goals: [CORE, MEMORY, NONE_LOST] },
      ],
    },
    {
      name: 'voice joins',
      about: 'Participants that connect and leave, one after another, until ICE and DTLS are done.',
      comparedMetric: 'p50Ms',
      baselines: [],
      lines: [
        { name: 'join and leave', measure: (ms) => script.ask({ what: 'joins', ms }, ms), goals: [JOIN] },
      ],
    },
  ]
}
