import { type CrowdPlayer, enter, gather, play, sitDown } from './crowd.ts'
import { newGameServer } from './game-server.ts'
import { CONFIG, residentMiB, withServer } from './load-run.ts'

const BIG = 'x'.repeat(16_000)

/** Players who stop reading while their rooms are flooded: each is cut off, and cost no more memory than it may. */
export const hangUp = (count: number) =>
  withServer({ SVC_RATE_LIMITS: 'off' }, async (server) => {
    const game = await newGameServer(server, CONFIG)
    const players = await gather(server, game, 4 * count)
    await sitDown(players)
    const hanging = players.filter((_, i) => i % 4 === 0)
    const shouting = players.filter((_, i) => i % 4 === 1)
    const beforeMiB = await residentMiB(server.pid)
    hanging.forEach(({ socket }) => socket.hang())
    const cut = new Set<string>()
    for (const { socket } of shouting)
      socket.onEvent = ({ t, playerId }) => void (t === 'player_disconnected' && cut.add(String(playerId)))

    let mostMiB = beforeMiB
    const startedAt = performance.now()
    while (cut.size < count && performance.now() - startedAt < 60_000) {
      for (const { socket } of shouting) await socket.ask({ t: 'send', type: 'x', data: BIG })
      mostMiB = Math.max(mostMiB, await residentMiB(server.pid))
    }
    const closes = hanging.map(async ({ socket }) => {
      socket.wake()
      return socket.closed
    })
    const reasons = (await Promise.all(closes)).map(({ code, reason }) => `${code} ${reason}`)
    players.forEach(({ socket }) => socket.destroy())
    return { hanging: count, cut: cut.size, reasons: tally(reasons), beforeMiB, mostMiB }
  })

/** In every room one who sends as much as the network takes, with the limits on: all that the others say arrives. */
export const abuse = (seconds: number) =>
  withServer({ SVC_LIMIT_GUESTS_PER_MINUTE: '100000' }, async (server) => {
    const game = await newGameServer(server, CONFIG)
    const others = await gather(server, game, 40)
    await sitDown(others)
    const abusers = await gather(server, game, 10)
    await Promise.all(
      abusers.map(({ socket }, i) => socket.ask({ t: 'join', roomId: others[4 * i]?.roomId })),
    )
    let sent = 0
    const flood = setInterval(() => {
      for (const { socket } of abusers)
        for (let i = 0; i < 50; i++, sent++) socket.send({ t: 'send', type: 'flood', data: -1 })
    }, 20)
    const ends = Promise.all(abusers.map(({ socket }) => socket.closed))
    const played = await play(others, seconds)
    clearInterval(flood)
    abusers.forEach(({ socket }) => socket.destroy())
    const reasons = (await ends).map(({ code, reason }) => `${code} ${reason}`)
    others.forEach(({ socket }) => socket.destroy())
    return { ...played, floodFrames: sent, abusers: tally(reasons) }
  })

/** SIGTERM with everybody in rooms: each is warned and told to come back, and has the seat when the server is there again. */
export const restart = (count: number) =>
  withServer({ SVC_RATE_LIMITS: 'off' }, async (server, startAgain) => {
    const game = await newGameServer(server, CONFIG)
    const players = await gather(server, game, count)
    await sitDown(players)
    let warned = 0
    for (const { socket } of players)
      socket.onEvent = ({ t, code }) => void (t === 'warn' && code === 'server_restarting' && warned++)
    const ends = Promise.all(players.map(({ socket }) => socket.closed))
    server.signal('SIGTERM')
    const closes = (await ends).map(({ code, reason }) => `${code} ${reason}`)
    const { code, errors } = await server.ended

    const again = await startAgain()
    const resumed = await inTurns(players, async ({ session, roomId }) => {
      const socket = await enter(again, game, session)
      const offered = (socket.welcome['room'] as { id: string } | null)?.id === roomId
      const { room } = (await socket.ask({ t: 'resume', roomId })) as { room: { players: { id: string }[] } }
      socket.destroy()
      return offered && room.players.some(({ id }) => id === session.id)
    })
    return {
      count,
      warned,
      closes: tally(closes),
      exit: { code, errors },
      resumed: resumed.filter(Boolean).length,
    }
  })

/** What so many cost who only are there: on a server that has done nothing else since its start, not even signed them in. */
export const idle = (count: number) =>
  withServer({ SVC_RATE_LIMITS: 'off' }, async (server, startAgain) => {
    const game = await newGameServer(server, CONFIG)
    const players = await gather(server, game, count)
    players.forEach(({ socket }) => socket.destroy())
    server.signal('SIGTERM')
    await server.ended

    const again = await startAgain()
    const startedMiB = await residentMiB(again.pid)
    const sockets = await inTurns(players, ({ session }) => enter(again, game, session))
    const idleMiB = await residentMiB(again.pid)
    sockets.forEach((socket) => socket.destroy())
    return { count, startedMiB, idleMiB }
  })

const AT_ONCE = 40

async function inTurns<T>(players: CrowdPlayer[], work: (player: CrowdPlayer) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let i = 0; i < players.length; i += AT_ONCE)
    results.push(...(await Promise.all(players.slice(i, i + AT_ONCE).map(work))))
  return results
}

function tally(words: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
