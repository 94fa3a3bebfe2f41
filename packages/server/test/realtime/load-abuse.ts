import { type LoadPlayer, connectPlayer, connectPlayers, exchangeMessages, joinRooms } from './clients.ts'
import { newGameServer } from './game-server.ts'
import { CONFIG, residentMiB, withServer } from './load-run.ts'

const BIG = 'x'.repeat(16_000)

/** Players stop reading while their rooms are flooded: each must be disconnected, and memory must stay within its limit. */
export const stopReading = (count: number) =>
  withServer({ SVC_RATE_LIMITS: 'off' }, async (server) => {
    const game = await newGameServer(server, CONFIG)
    const players = await connectPlayers(server, game, 4 * count)
    await joinRooms(players)
    const hanging = players.filter((_, i) => i % 4 === 0)
    const senders = players.filter((_, i) => i % 4 === 1)
    const beforeMiB = await residentMiB(server.pid)
    hanging.forEach(({ socket }) => socket.hang())
    const cut = new Set<string>()
    for (const { socket } of senders)
      socket.onEvent = ({ t, playerId }) => void (t === 'player_disconnected' && cut.add(String(playerId)))

    let mostMiB = beforeMiB
    const startedAt = performance.now()
    while (cut.size < count && performance.now() - startedAt < 60_000) {
      for (const { socket } of senders) await socket.ask({ t: 'send', type: 'x', data: BIG })
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

/** One player per room sends as fast as possible, with rate limits on: all messages of the others must arrive. */
export const abuse = (seconds: number) =>
  withServer({ SVC_LIMIT_GUESTS_PER_MINUTE: '100000' }, async (server) => {
    const game = await newGameServer(server, CONFIG)
    const others = await connectPlayers(server, game, 40)
    await joinRooms(others)
    const abusers = await connectPlayers(server, game, 10)
    await Promise.all(
      abusers.map(({ socket }, i) => socket.ask({ t: 'join', roomId: others[4 * i]?.roomId })),
    )
    let sent = 0
    const flood = setInterval(() => {
      for (const { socket } of abusers)
        for (let i = 0; i < 50; i++, sent++) socket.send({ t: 'send', type: 'flood', data: -1 })
    }, 20)
    const ends = Promise.all(abusers.map(({ socket }) => socket.closed))
    const counts = await exchangeMessages(others, seconds)
    clearInterval(flood)
    abusers.forEach(({ socket }) => socket.destroy())
    const reasons = (await ends).map(({ code, reason }) => `${code} ${reason}`)
    others.forEach(({ socket }) => socket.destroy())
    return { ...counts, floodFrames: sent, abusers: tally(reasons) }
  })

/**
 * Sends SIGTERM while all players are in rooms: each must be warned and closed with 1012, and must have its seat after the
 * restart.
 */
export const restart = (count: number) =>
  withServer({ SVC_RATE_LIMITS: 'off' }, async (server, startAgain) => {
    const game = await newGameServer(server, CONFIG)
    const players = await connectPlayers(server, game, count)
    await joinRooms(players)
    let warned = 0
    for (const { socket } of players)
      socket.onEvent = ({ t, code }) => void (t === 'warn' && code === 'server_restarting' && warned++)
    const ends = Promise.all(players.map(({ socket }) => socket.closed))
    server.signal('SIGTERM')
    const closes = (await ends).map(({ code, reason }) => `${code} ${reason}`)
    const { code, errors } = await server.ended

    const again = await startAgain()
    const resumed = await inBatches(players, async ({ session, roomId }) => {
      const socket = await connectPlayer(again, game, session)
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

/** Memory of `count` idle sockets, on a server that has done nothing else since its start, not even their sign-ins. */
export const idle = (count: number) =>
  withServer({ SVC_RATE_LIMITS: 'off' }, async (server, startAgain) => {
    const game = await newGameServer(server, CONFIG)
    const players = await connectPlayers(server, game, count)
    players.forEach(({ socket }) => socket.destroy())
    server.signal('SIGTERM')
    await server.ended

    const again = await startAgain()
    const startedMiB = await residentMiB(again.pid)
    const sockets = await inBatches(players, ({ session }) => connectPlayer(again, game, session))
    const idleMiB = await residentMiB(again.pid)
    sockets.forEach((socket) => socket.destroy())
    return { count, startedMiB, idleMiB }
  })

const CONCURRENCY = 40

async function inBatches<T>(players: LoadPlayer[], work: (player: LoadPlayer) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let i = 0; i < players.length; i += CONCURRENCY)
    results.push(...(await Promise.all(players.slice(i, i + CONCURRENCY).map(work))))
  return results
}

function tally(words: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
