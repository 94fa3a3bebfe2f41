// Star Duel's referee: checks a round's result, stores it for the player, and sets the challenge of the day.

const ROUND_SECONDS_MAX = 20
/** Nobody can catch more. */
const STARS_PER_SECOND_MAX = 4
const FIRST_CHALLENGE = 10

const dayOf = (time) => new Date(time).toISOString().slice(0, 10)
const isPossible = (points, seconds) =>
  Number.isInteger(points) &&
  points >= 0 &&
  seconds > 0 &&
  points <= Math.min(seconds, ROUND_SECONDS_MAX) * STARS_PER_SECOND_MAX

async function challengeOf(day, { DB }) {
  const found = await DB.prepare('select points from challenges where day = ?').bind(day).first()
  return found?.points ?? FIRST_CHALLENGE
}

async function acceptResult(request, env) {
  const playerId = request.headers.get('svc-player-id')
  if (playerId === null) return Response.json({ refused: 'Sign in first.' }, { status: 401 })
  const { points, seconds } = await request.json().catch(() => ({}))
  if (!isPossible(points, seconds))
    return Response.json({ refused: 'The referee does not believe this result.' }, { status: 422 })

  // With the player's token, `env.SVC` acts as that player.
  const stored = await env.SVC.fetch('http://svc/v1/stats', {
    method: 'POST',
    headers: { authorization: request.headers.get('authorization'), 'content-type': 'application/json' },
    body: JSON.stringify({ stats: { points } }),
  })
  if (!stored.ok) return Response.json({ refused: 'The result could not be stored.' }, { status: 502 })

  const day = dayOf(Date.now())
  await env.DB.prepare(
    `insert into results values (?, ?, ?)
     on conflict (day, player) do update set points = max(points, excluded.points)`,
  )
    .bind(day, playerId, points)
    .run()
  const challenge = await challengeOf(day, env)
  return Response.json({ challenge, isBeaten: points > challenge })
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === '/result' && request.method === 'POST') return acceptResult(request, env)
    if (pathname === '/challenge') return Response.json({ points: await challengeOf(dayOf(Date.now()), env) })
    return new Response('Not found', { status: 404 })
  },

  /** Yesterday's best result is today's challenge. */
  async scheduled({ scheduledTime }, { DB }) {
    const yesterday = dayOf(scheduledTime - 86_400_000)
    const best = await DB.prepare('select max(points) as points from results where day = ?')
      .bind(yesterday)
      .first()
    await DB.prepare('insert or replace into challenges values (?, ?)')
      .bind(dayOf(scheduledTime), best?.points ?? FIRST_CHALLENGE)
      .run()
  },
}
