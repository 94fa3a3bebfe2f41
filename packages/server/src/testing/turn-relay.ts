import { type Limits, LIMITS } from '../engines/turn/embedded/allocations.ts'
import { openEmbedded } from '../engines/turn/embedded/embedded.ts'
import { type Attribute, TYPE } from '../engines/turn/embedded/stun.ts'
import { type Clock, createStoppedClock } from '../platform/clock.ts'
import { systemRandom } from '../platform/random.ts'
import { connectTurn, type Credentials, type TurnClient, UDP_WANTED } from './turn-client.ts'

export const TURN_SECRET = Buffer.from('the secret key of all nodes of it')

export const CHANNEL = 0x4000

export type TestRelay = Awaited<ReturnType<typeof startRelay>>

type Place = { transport?: 'udp' | 'tcp'; room?: string; environment?: string }
type Options = { limits?: Partial<Limits>; clock?: Clock; secret?: Buffer; host?: string }

/** The embedded relay on a free port, with a stopped clock and frequent sweeps. */
export async function startRelay(options: Options = {}) {
  const { limits, clock = createStoppedClock(), secret = TURN_SECRET, host = '127.0.0.1' } = options
  const embedded = await openEmbedded(
    { host, port: 0, publicIp: undefined },
    { clock, random: systemRandom, log: () => {}, secret },
    { limits: { ...LIMITS, ...limits }, sweepMs: 5 },
  )
  const clients: TurnClient[] = []

  async function connect(transport: 'udp' | 'tcp' = 'udp', to = '127.0.0.1') {
    const client = await connectTurn(embedded.port, { transport, host: to })
    clients.push(client)
    return client
  }

  async function credentialsOf(
    playerId: string,
    roomId = 'room',
    environmentId = 'env',
  ): Promise<Credentials> {
    const answer = await embedded.iceServers({ environmentId, roomId, playerId, localAddress: host })
    return answer?.iceServers[0] ?? {}
  }

  return {
    ...embedded,
    connect,
    credentials: credentialsOf,

    /** A player with an allocation. */
    async enter(name: string, { transport, room, environment }: Place = {}) {
      const client = await connect(transport)
      const credentials = await credentialsOf(name, room, environment)
      const address = await client.allocate(credentials)
      type Other = { address: typeof address }
      return {
        client,
        credentials,
        address,
        permit: (other: Other) => client.permit(other.address, credentials),
        bind: (other: Other, channel = CHANNEL) => client.bind(channel, other.address, credentials),
        refresh: (renewed = credentials, ...attributes: Attribute[]) =>
          client.ask(TYPE.refresh, attributes, renewed),
      }
    },

    /** The result of an allocation request of a new client: an error code, or 0. */
    async codeOfAllocate(attributes: Attribute[] = [UDP_WANTED], credentials?: Credentials) {
      const client = await connect()
      return (await client.ask(TYPE.allocate, attributes, credentials ?? (await credentialsOf('ada')))).code
    },

    async stop() {
      await Promise.all(clients.map((client) => client.close()))
      await embedded.close()
    },
  }
}
