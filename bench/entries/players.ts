import type { Entry, Goal } from '../harness.ts'
import { startLoad } from '../load.ts'
import { startBare } from '../targets/bare/bare.ts'
import { BETTER_AUTH, BETTER_AUTH_ON_POSTGRES, linesOf, PARSE_SERVER, type Peer } from '../targets/peers.ts'
import { seedPlayers, type PlayerRequests } from '../targets/players.ts'
import { fetchStoredResponse, type Request } from '../targets/requests.ts'
import { type EntryOptions, ON_POSTGRES, ON_SQLITE, onPostgres, onSqlite } from '../targets/services.ts'

type PlayerOperation = keyof PlayerRequests
type About = {
  name: string
  about: string
  goals?: Record<string, Goal[]>
  renewed?: string
  connectionsMax?: number
}

const BARE = 'bare Fastify'
/** The lines of the refresh entry with which a refresh is compared. */
const guestOn = (service: string) => `${service}, guest sign-in`

const ABOUT: Record<PlayerOperation, About> = {
  profile: {
    name: 'player profile',
    about: 'GET /v1/players/me, a hundred players in turn; the peers check a session and return its user.',
    goals: { [ON_SQLITE]: [{ number: 1, baseline: BETTER_AUTH, atMost: 1 / 20 }] },
  },
  guest: {
    name: 'player guest sign-in',
    about: 'POST /v1/auth/guest: creates a player and a session durably, and signs a token.',
    goals: {
      [ON_SQLITE]: [{ number: 1, baseline: PARSE_SERVER, atMost: 1 / 12 }],
      [ON_POSTGRES]: [{ number: 2, baseline: PARSE_SERVER, atMost: 1 / 7 }],
    },
  },
  refresh: {
    name: 'player refresh',
    about:
      'POST /v1/auth/refresh: consumes the refresh token durably and signs two new tokens; every connection has its own player. The peers have no such token; its goals are parts of a guest sign-in, which took 423 µs where a refresh may take 250, and on PostgreSQL 880 where it may take 675.',
    goals: {
      [ON_SQLITE]: [{ number: 3, baseline: guestOn(ON_SQLITE), atMost: 250 / 423 }],
      [ON_POSTGRES]: [{ number: 2, baseline: guestOn(ON_POSTGRES), atMost: 675 / 880 }],
    },
    renewed: 'refreshToken',
  },
  logIn: {
    name: 'player email log-in',
    about:
      'POST /v1/auth/email/login: nearly all of the cost is the password hash. The service uses argon2id, parse-server bcrypt, better-auth scrypt. Four connections, because more are rejected when the machine is busy.',
    connectionsMax: 4,
  },
}

export async function playerEntries(
  opened: AsyncDisposableStack,
  { connections, postgres }: EntryOptions,
  peers: readonly Peer[],
): Promise<Entry[]> {
  const seed = (service: { port: number }) => seedPlayers(service, connections)
  const embedded = await onSqlite(opened, seed)
  const services = [embedded, ...(postgres ? [await onPostgres(opened, seed)] : [])]
  const [profile] = embedded.requests.profile
  const bare = await startBare('fastify', await fetchStoredResponse(embedded.port, profile as Request))
  opened.defer(bare.end)

  return (Object.keys(ABOUT) as PlayerOperation[]).map((operation) => {
    const { name, about, goals = {}, renewed, connectionsMax = connections } = ABOUT[operation]
    const load = startLoad(opened, Math.min(connections, connectionsMax))
    return {
      name,
      about: `${about} The bare server returns the bytes of a profile from memory.`,
      comparedMetric: 'cpuMicros',
      baselines:
        operation === 'refresh'
          ? services.map((service) => guestOn(service.name))
          : [BARE, PARSE_SERVER, BETTER_AUTH, BETTER_AUTH_ON_POSTGRES],
      lines: [
        ...services.map((service) => ({
          name: service.name,
          measure: (ms: number) => load(service, service.requests[operation], ms, renewed ? { renewed } : {}),
          goals: goals[service.name] ?? [],
        })),
        {
          name: BARE,
          measure: (ms: number) => load({ ...bare, databases: [] }, [profile as Request], ms),
        },
        ...(operation === 'refresh'
          ? services.map((service) => ({
              name: guestOn(service.name),
              measure: (ms: number) => load(service, service.requests.guest, ms),
            }))
          : linesOf(peers, operation, load)),
      ],
    }
  })
}
