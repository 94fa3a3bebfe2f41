import { MINUTE_MS } from '../platform/clock.ts'
import { dayAt } from '../platform/time/periods.ts'
import { type BoardGame, placesIn } from './leaderboards.ts'
import type { Service } from './service.ts'

/** A leaderboard with three periods. */
export const DAILY = { periods: ['daily', 'weekly', 'allTime'] }
/** Two stats with that leaderboard. */
export const configOf = (leaderboard: object | undefined = DAILY, zone = 'UTC') => ({
  features: { stats: true },
  resetTimeZone: zone,
  stats: ['best', 'other'].map((key) => ({ key, aggregation: 'max', ...(leaderboard && { leaderboard }) })),
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
})

/** All boards of a game, the oldest first. */
export const boardsOf = ({ db }: Service, { environmentId }: BoardGame) =>
  db.search((q) =>
    q.selectFrom('leaderboards').selectAll().where('environmentId', '=', environmentId).orderBy('id'),
  )
/** The day by the clock of the service. */
export const dayOf = ({ clock }: Service, zone = 'UTC') => dayAt(zone, clock.now().getTime())
/** Moves the clock to so long after the next midnight; a negative time is before it. */
export function goTo({ clock }: Pick<Service, 'clock'>, ms: number, zone = 'UTC') {
  const now = clock.now().getTime()
  clock.advance(dayAt(zone, now).endsAtMs + ms - now)
}
/** As the jobs do in the ten minutes before midnight. */
export async function passTenMinutes(service: Service, look: () => Promise<unknown> = async () => {}) {
  for (let minute = 10; minute > 0; minute--) {
    goTo(service, -minute * MINUTE_MS)
    await service.everyMinute()
    await look()
  }
}
/** Players and values of the winners of a day, and how many players the board had. */
export async function winnersOf(game: BoardGame, label: string) {
  const list = await game.list('best', `?period=daily&at=${label}&limit=100`)
  return { places: placesIn(list), count: list.count }
}
