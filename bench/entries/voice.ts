import type { Entry, Goal } from '../harness.ts'
import { startLoad } from '../load.ts'
import type { Metrics } from '../metrics.ts'
import { type Script, type Server, startScript } from '../processes.ts'
import { newProject, startService } from '../targets/service.ts'
import type { VoiceChannelTask } from '../targets/voice-channel.ts'
import type { RelayServer, VoiceTask } from '../targets/voice.ts'

const CORE: Goal = { number: 10, metric: 'corePercent', atMost: 30 }
const MEMORY: Goal = { number: 10, metric: 'rssMb', atMost: 150 }
const NONE_LOST: Goal = { number: 10, metric: 'lost', atMost: 0 }
const JOIN: Goal = { number: 10, metric: 'p50Ms', atMost: 250 }
const MUTE: Goal = { number: 10, metric: 'p99Ms', atMost: 100 }
/** Joining 100 people takes time before the first measurement. */
const JOINING_MS = 60_000
const JOINS = 1_000
const CALLERS = 100
const SPEAKERS = 4
const MUTES = 5
/** Few, so that requests do not wait for each other. */
const API_CONNECTIONS = 4

/** The relay server for voice calls, with participants that have real connections and send the packets of a real tone. */
export async function voiceEntries(opened: AsyncDisposableStack, withPeers: boolean): Promise<Entry[]> {
  return [...relayServerEntries(opened, withPeers), ...(await besideEntries(opened))]
}

function relayServerEntries(opened: AsyncDisposableStack, withPeers: boolean): Entry[] {
  const script = startScript<VoiceTask, Metrics>('targets/voice.ts')
  opened.defer(script.end)
  const call = (people: number, speakers: number, of: RelayServer = 'svc') => ({
    name: `${of === 'svc' ? '' : `${of}: `}${people} people, ${speakers} talk`,
    measure: (ms: number) => script.ask({ what: 'call', of, people, speakers, ms }, ms + JOINING_MS),
  })
  const peers = (['Janus', 'Janus, two threads'] as const).map((of) => call(CALLERS, SPEAKERS, of))

  return [
    {
      name: 'voice call',
      about:
        'The process of the relay server; CPU per forwarded packet of 20 ms. Loop delay is that of the process, p99. Each call has its own process.',
      comparedMetric: 'cpuMicros',
      baselines: peers.map(({ name }) => name),
      lines: [
        ...(withPeers ? peers : []),
        { ...call(9, 3), goals: [NONE_LOST] },
        { ...call(20, 4), goals: [NONE_LOST] },
        { ...call(50, 4), goals: [NONE_LOST] },
        { ...call(100, 4), goals: [CORE, MEMORY, NONE_LOST] },
      ],
    },
    {
      name: 'voice joins',
      about:
        'Participants that connect and leave, until ICE and DTLS are done: one after another, and five at a time. The allocator keeps memory of the first rounds.',
      comparedMetric: 'p50Ms',
      baselines: [],
      lines: [
        { name: 'join and leave', measure: (ms) => script.ask({ what: 'joins', ms }, ms), goals: [JOIN] },
        {
          name: `${JOINS} joins and leaves`,
          measure: () => script.ask({ what: 'manyJoins', joins: JOINS }, 4 * JOINING_MS),
        },
      ],
    },
  ]
}

/** Two services on this machine: both run under the same load, and only one of them has the call. */
async function besideEntries(opened: AsyncDisposableStack): Promise<Entry[]> {
  const load = startLoad(opened, API_CONNECTIONS)
  const withCall = await openService(opened, CALLERS)
  const without = await openService(opened, 0)
  const talk = (speakers: number) => withCall.players.ask({ what: 'talk', speakers }, 0)

  type Measure = (service: typeof withCall, ms: number) => Promise<Metrics>
  // Without CPU time: that of the service includes its relay server.
  const api: Measure = async ({ server, request }, ms) => {
    const { perSecond, p50Ms, p99Ms } = await load({ ...server, databases: [] }, [request], ms)
    return { perSecond, p50Ms, p99Ms } as Metrics
  }
  const chat: Measure = ({ players }, ms) => players.ask({ what: 'chat', ms }, ms)
  const nobody = 'nobody talks'
  const elsewhere = 'a service beside it has the call'
  const lines = (measure: Measure) => {
    const during = async (speakers: number, service: typeof withCall, ms: number) => {
      await talk(speakers)
      return measure(service, ms)
    }
    return [
      { name: nobody, measure: (ms: number) => during(0, withCall, ms) },
      { name: elsewhere, measure: (ms: number) => during(SPEAKERS, without, ms) },
      {
        name: 'it has the call',
        measure: (ms: number) => during(SPEAKERS, withCall, ms),
        goals: [{ number: 10, baseline: elsewhere, atMost: 1.2 }],
      },
    ]
  }
  const about = `while a call of ${CALLERS} people with ${SPEAKERS} speakers goes on. Its participants run on the same machine and need more CPU than the relay server, hence the comparison with a second service.`

  return [
    {
      name: 'voice beside the API',
      about: `\`GET /v1/config\` with ${API_CONNECTIONS} connections ${about}`,
      comparedMetric: 'p99Ms',
      baselines: [elsewhere],
      lines: lines(api),
    },
    {
      name: 'voice beside chat',
      about: `A message in a channel of ten, from its sender to another member, ${about}`,
      comparedMetric: 'p99Ms',
      baselines: [elsewhere],
      lines: lines(chat),
    },
    {
      name: 'voice mute',
      about: `From the request of a server to the last packet that another member of a call of ${CALLERS} hears.`,
      comparedMetric: 'p99Ms',
      baselines: [],
      lines: [
        {
          name: 'mute',
          measure: () => withCall.players.ask({ what: 'mute', times: MUTES }, JOINING_MS),
          goals: [MUTE],
        },
      ],
    },
  ]
}

async function openService(opened: AsyncDisposableStack, callers: number) {
  // A call without credit would end after a minute.
  const server: Server = await startService({ settings: { SVC_BILLING: 'off' } })
  opened.defer(server.end)
  const keys = await newProject(server.port, 'Voice')
  const players: Script<VoiceChannelTask, Metrics> = startScript('targets/voice-channel.ts')
  opened.defer(players.end)
  await players.ask({ what: 'open', port: server.port, ...keys, callers }, JOINING_MS)
  const request = { path: '/v1/config', headers: { 'x-svc-key': keys.secret }, status: 200 }
  return { server, players, request }
}
