import { startPostgres, startRedis } from '../../scripts/services.ts'
import type { Entry } from '../harness.ts'
import { startLoad, type Target } from '../load.ts'
import { startBare } from '../targets/bare.ts'
import { furnishPlayers, type PlayerRequests } from '../targets/players.ts'
import { answerOf, type Request } from '../targets/requests.ts'
import { startService } from '../targets/service.ts'

type Furnished = Target & { name: string; requests: PlayerRequests }
export type PlayerOptions = { connections: number; postgres: boolean }

const BARE = 'bare Fastify'
const ABOUT: Record<keyof PlayerRequests, [name: string, about: string]> = {
  profile: ['player profile', 'GET /v1/players/me, a hundred players in turn.'],
  guest: [
    'player guest sign-in',
    'POST /v1/auth/guest: a player and a session, durable, and a signed token.',
  ],
  logIn: ['player email log-in', 'POST /v1/auth/email/login: argon2id, a session, a signed token.'],
}

export async function playerEntries(
  opened: AsyncDisposableStack,
  { connections, postgres }: PlayerOptions,
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const embedded = await furnished(opened, 'svc on SQLite')
  const services = [embedded, ...(postgres ? [await onPostgres(opened)] : [])]
  const [profile] = embedded.requests.profile
  const bare = await startBare('fastify', await answerOf(embedded.port, profile as Request))
  opened.defer(bare.end)

  return (Object.keys(ABOUT) as (keyof PlayerRequests)[]).map((what) => ({
    name: ABOUT[what][0],
    about: `${ABOUT[what][1]} The bare server holds the bytes of a profile ready.`,
    compared: 'cpuMicros',
    bare: [BARE],
    lines: [
      ...services.map((service) => ({
        name: service.name,
        measure: (ms: number) => load(service, service.requests[what], ms),
      })),
      {
        name: BARE,
        measure: (ms: number) => load({ ...bare, databases: [] }, [profile as Request], ms),
      },
    ],
  }))
}

async function furnished(
  opened: AsyncDisposableStack,
  name: string,
  engines?: { DATABASE_URL: string; REDIS_URL: string },
  databases: number[] = [],
): Promise<Furnished> {
  const service = await startService(engines ? { engines } : {})
  opened.defer(service.end)
  return { name, ...service, databases, requests: await furnishPlayers(service) }
}

async function onPostgres(opened: AsyncDisposableStack): Promise<Furnished> {
  const postgres = await startPostgres({ sync: true })
  opened.defer(postgres.stop)
  const redis = await startRedis()
  opened.defer(redis.stop)
  const engines = { DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  return furnished(opened, 'svc on PostgreSQL and Redis', engines, [postgres.pid, redis.pid])
}
