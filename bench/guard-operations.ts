import { startLoad } from './load.ts'
import type { Server } from './processes.ts'
import { DIALECTS } from './realtime/dialects.ts'
import { FIRST_ASK, GAME_DIALECTS } from './realtime/game-dialects.ts'
import { seedFiles } from './targets/bare/file-servers.ts'
import { seedFunctions } from './targets/function-calls.ts'
import { gamesOn } from './targets/games.ts'
import { seedPlayers } from './targets/players.ts'
import { realtimeOn } from './targets/realtime-targets.ts'
import type { Request } from './targets/requests.ts'
import { seedSaves } from './targets/saves.ts'
import { RENEWED } from './targets/seeders.ts'
import { seedStats } from './targets/stats.ts'

export type Operation = {
  name: string
  /** Does it so many times, one after the other: what happens at the same time shares reads and writes by chance. */
  run(count: number): Promise<unknown>
  /** Some happen at the same time. */
  sharesCalls?: true
}

const PLAYERS = 10
/** A refresh waits some milliseconds on purpose, so one after the other would take long. All counts are multiples of it. */
const REFRESHES_AT_ONCE = 25
/** Each load ends after a number of requests, long before. */
const LOAD_MS_MAX = 60_000
const TEXT = 'x'.repeat(60)
const [RECEIVERS, TOGETHER] = [7, 8]

/** On one service that runs functions. */
export const guardedOperations = async (
  opened: AsyncDisposableStack,
  service: Server,
): Promise<Operation[]> => [
  ...(await requests(opened, service)),
  ...(await messagesAndJoins(service)),
  await answerOfCode(service),
]

async function requests(opened: AsyncDisposableStack, service: Server): Promise<Operation[]> {
  const target = { ...service, databases: [] }
  const [send, sendAtOnce] = [startLoad(opened, 1), startLoad(opened, REFRESHES_AT_ONCE)]
  const oneByOne = (name: string, requested: Request | Request[]): Operation => ({
    name,
    run: (count) => send(target, [requested].flat(), LOAD_MS_MAX, { count }),
  })
  const saves = await seedSaves(service, PLAYERS)
  const stats = await seedStats(service, PLAYERS)
  const players = await seedPlayers(service, REFRESHES_AT_ONCE, PLAYERS)
  return [
    oneByOne('saves read', saves.read),
    oneByOne('saves write', saves.write),
    oneByOne('stats read', stats.read),
    oneByOne('stats submit', stats.submit),
    oneByOne('players profile', players.profile),
    oneByOne('players guest', players.guest),
    {
      name: 'players refresh',
      sharesCalls: true,
      run: (count) =>
        sendAtOnce(target, players.refresh, LOAD_MS_MAX, {
          ...RENEWED['refresh'],
          count: count / REFRESHES_AT_ONCE,
        }),
    },
    oneByOne('hosting index.html', (await seedFiles(service))['index.html']),
    oneByOne('functions get', (await seedFunctions(service)).get),
  ]
}

/** A room of eight, whose first player sends to the others, and a room that another player enters and leaves. */
async function messagesAndJoins(service: Server): Promise<Operation[]> {
  const { port, players } = await realtimeOn(service)
  const room = { port, joins: 'room' } as const
  const members = await players(RECEIVERS + 1)
  let missing = 0
  let delivered = () => {}
  const clients = []
  for (const [at, member] of members.entries())
    clients.push(
      await DIALECTS.svc({ ...room, ...member, name: 'GUARD', isFirst: at === 0 }, (payload) => {
        if (payload.includes(TEXT) && --missing === 0) delivered()
      }),
    )
  const [sender] = clients

  /** The service reads them at once, and writes once to each receiver. */
  async function relay(messages: number) {
    const all = Promise.withResolvers<void>()
    delivered = all.resolve
    missing = messages * RECEIVERS
    sender?.together(() => {
      for (let n = 0; n < messages; n++) sender.send(TEXT)
    })
    await all.promise
  }

  const [host, guest] = await players(2)
  if (!host || !guest) throw new Error('no player has signed in')
  const enter = (player: typeof host, isFirst: boolean) =>
    DIALECTS.svc({ ...room, ...player, name: 'VISITS', isFirst }, () => undefined)
  await enter(host, true)
  return [
    { name: 'realtime message', run: times(() => relay(1)) },
    { name: 'realtime eight messages', run: times(() => relay(TOGETHER)) },
    { name: 'realtime join', run: times(async () => (await enter(guest, false)).leave()) },
  ]
}

/** A question to a room, whose code answers: one turn. */
async function answerOfCode(service: Server): Promise<Operation> {
  const { port, players } = await gamesOn(service)
  const [credentials] = await players(1)
  if (!credentials) throw new Error('no player has signed in')
  let answered = () => {}
  const player = await GAME_DIALECTS.svc(
    { ...credentials, port, game: 'quiz', room: 'guard', isFirst: true },
    { onSync() {}, onReply: () => answered() },
  )
  let id = FIRST_ASK
  const ask = async () => {
    const reply = Promise.withResolvers<void>()
    answered = reply.resolve
    player.ask(++id)
    await reply.promise
  }
  return { name: 'rooms with code answer', run: times(ask) }
}

const times = (work: () => Promise<void>) => async (count: number) => {
  for (let n = 0; n < count; n++) await work()
}
