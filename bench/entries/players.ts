import type { Entry, Goal } from '../harness.ts'
import { startLoad } from '../load.ts'
import { startBare } from '../targets/bare.ts'
import { BETTER_AUTH, BETTER_AUTH_ON_POSTGRES, linesOf, PARSE_SERVER, type Peer } from '../targets/peers.ts'
import { furnishPlayers, type PlayerRequests } from '../targets/players.ts'
import { answerOf, type Request } from '../targets/requests.ts'
import { type EntryOptions, ON_POSTGRES, ON_SQLITE, onPostgres, onSqlite } from '../targets/services.ts'

type What = keyof PlayerRequests
type About = {
  name: string
  about: string
  goals?: Record<string, Goal[]>
  renewed?: string
  connectionsMax?: number
}

const BARE = 'bare Fastify'
const AN_EIGHTH = { number: 1, atMost: 1 / 8 }

const ABOUT: Record<What, About> = {
  profile: {
    name: 'player profile',
    about: 'GET /v1/players/me, a hundred players in turn; the peers check a session and tell whose it is.',
    goals: { [ON_SQLITE]: [{ ...AN_EIGHTH, against: BETTER_AUTH }] },
  },
  guest: {
    name: 'player guest sign-in',
    about: 'POST /v1/auth/guest: a player and a session, durable, and a signed token.',
    goals: {
      [ON_SQLITE]: [
        { ...AN_EIGHTH, against: PARSE_SERVER },
        { ...AN_EIGHTH, against: BETTER_AUTH },
      ],
      [ON_POSTGRES]: [{ number: 2, against: PARSE_SERVER, atMost: 1 / 5 }],
    },
  },
  refresh: {
    name: 'player refresh',
    about:
      'POST /v1/auth/refresh: the refresh token is used up, durable, and two new ones are signed; every connection has a player of its own. The peers have no token that is renewed by itself.',
    renewed: 'refreshToken',
  },
  logIn: {
    name: 'player email log-in',
    about:
      'POST /v1/auth/email/login: it is the hash. Ours is argon2id, parse-server has bcrypt, better-auth scrypt. Four connections: more are refused when the machine is busy.',
    connectionsMax: 4,
  },
}

export async function playerEntries(
  opened: AsyncDisposableStack,
  { connections, postgres }: EntryOptions,
  peers: readonly Peer[],
): Promise<Entry[]> {
  const furnish = (service: { port: number }) => furnishPlayers(service, connections)
  const embedded = await onSqlite(opened, furnish)
  const services = [embedded, ...(postgres ? [await onPostgres(opened, furnish)] : [])]
  const [profile] = embedded.requests.profile
  const bare = await startBare('fastify', await answerOf(embedded.port, profile as Request))
  opened.defer(bare.end)

  return (Object.keys(ABOUT) as What[]).map((what) => {
    const { name, about, goals = {}, renewed, connectionsMax = connections } = ABOUT[what]
    const load = startLoad(opened, Math.min(connections, connectionsMax))
    return {
      name,
      about: `${about} The bare server holds the bytes of a profile ready.`,
      compared: 'cpuMicros',
      against: [BARE, PARSE_SERVER, BETTER_AUTH, BETTER_AUTH_ON_POSTGRES],
      lines: [
        ...services.map((service) => ({
          name: service.name,
          measure: (ms: number) => load(service, service.requests[what], ms, renewed),
          goals: goals[service.name] ?? [],
        })),
        {
          name: BARE,
          measure: (ms: number) => load({ ...bare, databases: [] }, [profile as Request], ms),
        },
        ...(what === 'refresh' ? [] : linesOf(peers, what, load)),
      ],
    }
  })
}
