import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { deployRooms, merged, newCodeGame, workerdPids } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { runs } from '../../../testing/runs.ts'
import { suite } from '../../../testing/suite.ts'

const classes = (version: number, more = '') => `
export class Arena extends Room {
  static tickRate = 20
  state = { version: ${version}, count: 0, ticks: 0, players: {} }
  onJoin(player) { this.state.players[player.id] = true }
  onLeave(player) { delete this.state.players[player.id] }
  onTick() { this.state.ticks++ }
  save() { return { secret: this.secret ?? 0 } }
  onRestore(saved) { this.secret = saved.secret; this.state.version = ${version} }
  messages = {
    add: () => { this.secret = (this.secret ?? 0) + 1; return ++this.state.count },
    secret: () => this.secret ?? 0,
    loop: () => { for (;;); },
    wait: () => new Promise(() => {}),
  }
  ${more}
}`

const DEPLOYS = runs(2, 20)

type Shown = { server: { seq: number }; state: { count: number } }

suite('rooms with code whose process ends', { start: startFunctionsService }, ({ service }) => {
  let game: Game
  before(async () => {
    game = await newCodeGame(service, classes(1))
    // An endless loop ends sooner.
    const enabled = await game.side.server('POST', '/v1/admin/functions/enable', { cpuMs: 200 })
    assert.equal(enabled.status, 200)
  })
  after(() => game.end())

  const tick = (ms = 50) => service.clock.advance(ms)
  /** Moves the clock until the answer is there. */
  async function ticking<T>(work: Promise<T>, ms?: number): Promise<T> {
    let isDone = false
    void work.finally(() => (isDone = true)).catch(() => {})
    await comesTrue('the work is done', () => {
      if (!isDone) tick(ms)
      return isDone
    })
    return work
  }
  /** Moves the clock in steps that are too short for a connection to count as idle. */
  async function pass(ms: number, players: readonly GamePlayer[]) {
    for (let passed = 0; passed < ms; passed += 20_000) {
      tick(20_000)
      for (const player of players) await player.settled()
    }
  }
  const received = (player: GamePlayer, t: string) => player.received.find((event) => event.t === t)
  const add = (player: GamePlayer) => ticking(player.request({ t: 'send', type: 'add' }))
  const views = (player: GamePlayer) => player.received.filter(({ t }) => t === 'room_joined').length

  test('[RWC-40] a stopped clock makes 1,000 ticks one by one', async () => {
    const [player] = (await game.players(1)) as [GamePlayer]
    await player.request({ t: 'create' })
    for (let ticks = 1; ticks <= 1_000; ticks++) {
      tick()
      const sync = await player.next('sync')
      assert.deepEqual([sync['tick'], sync['patch']], [ticks, { ticks }])
    }
    await player.close()
  })

  test('[RWC-41] after kill -9 of the process every room continues from its last snapshot', async () => {
    const players = await game.players(4)
    const rooms: string[] = []
    for (const player of players) rooms.push((await player.request({ t: 'create' })).room.id)
    for (let kills = 1; kills <= runs(2, 50); kills++) {
      for (const player of players) await add(player)
      const before = players.map(views)
      // The snapshot of this second.
      const ticked = players.map((player) => merged(player).state as { ticks: number; count: number })
      tick(1_000)
      await comesTrue('the tick came', () =>
        players.every(
          (player, at) => (merged(player).state as { ticks: number }).ticks > (ticked[at]?.ticks ?? 0),
        ),
      )
      for (const pid of workerdPids()) process.kill(pid, 'SIGKILL')
      await comesTrue('all are back', () => {
        tick()
        return players.every((player, at) => views(player) > (before[at] ?? 0))
      })
      for (const player of players) assert.equal((merged(player).state as { count: number }).count, kills)
      for (const player of players.slice(0, 1))
        assert.deepEqual(await ticking(player.request({ t: 'send', type: 'secret' })), { data: kills })
      await pass(60_000, players)
    }
    await Promise.all(players.map((player) => player.close()))
  })

  test('[RWC-42] an endless loop in one of many rooms ends only this room', async () => {
    const players = await game.players(runs(8, 50))
    for (const player of players) await player.request({ t: 'create' })
    tick(1_000)
    const [bad, ...good] = players as [GamePlayer, ...GamePlayer[]]
    for (let times = 1; times <= 2; times++) {
      const seen = views(bad)
      bad.send({ t: 'send', type: 'loop' })
      await bad.settled()
      if (times === 2) break
      await comesTrue('the room is back', () => {
        tick()
        return views(bad) > seen
      })
    }
    await comesTrue('the room is closed', () => {
      tick()
      return received(bad, 'room_closed') !== undefined
    })
    assert.deepEqual(received(bad, 'room_closed'), { t: 'room_closed', reason: 'failed' })
    for (const player of good) assert.deepEqual(await add(player), { data: 1 })
    await Promise.all(players.map((player) => player.close()))
  })

  test('[RWC-113] rooms whose process is killed from outside in the middle of a turn go on, however often', async () => {
    const [player] = (await game.players(1)) as [GamePlayer]
    await player.request({ t: 'create' })
    await add(player)
    tick(1_000)
    for (let kills = 1; kills <= 4; kills++) {
      const before = views(player)
      const pids = workerdPids()
      // A turn is sent to a process that stands still.
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      player.send({ t: 'send', type: 'add' })
      await player.settled()
      tick()
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      await comesTrue('the room is back', () => {
        tick()
        return views(player) > before || received(player, 'room_closed') !== undefined
      })
      assert.equal(received(player, 'room_closed'), undefined, `after ${kills} kills`)
    }
    const { body } = await game.side.server('GET', '/v1/admin/functions/logs?q=killed')
    assert.match(JSON.stringify(body), /killed: the process of rooms has ended: /)
    await player.close()
  })

  test('[RWC-43] an open promise of a process that ends is answered with room_error', async () => {
    const [player] = (await game.players(1)) as [GamePlayer]
    await player.request({ t: 'create' })
    player.send({ t: 'send', type: 'wait', rid: 'waiting' })
    await player.settled()
    tick()
    await player.next('sync')
    for (const pid of workerdPids()) process.kill(pid, 'SIGKILL')
    const { rid, error } = await player.next('reply')
    assert.deepEqual([rid, error.code], ['waiting', 'room_error'])
    await player.close()
  })

  test(`[RWC-44] [RWC-107] ${DEPLOYS} deploys under load with finishMinutes 0: rooms move to the new version at once, players stay, no message is lost or counted twice`, async () => {
    const other = await newCodeGame(service, classes(1))
    const players = await other.players(runs(3, 20))
    const ids: string[] = []
    for (const player of players) ids.push((await player.request({ t: 'create' })).room.id)
    const stateOf = (player: GamePlayer) => merged(player).state as { version: number; count: number }
    let sent = 0
    for (let version = 2; version <= DEPLOYS + 1; version++) {
      let isDeployed = false
      const deploying = deployRooms(other.side, classes(version), { finishMinutes: 0 }).then(
        () => (isDeployed = true),
      )
      await comesTrue('all run the new version', () => {
        for (const player of players) player.send({ t: 'send', type: 'add' })
        sent++
        tick()
        return isDeployed && players.every((player) => stateOf(player).version === version)
      })
      await deploying
    }
    await comesTrue('every message has counted once', () => {
      tick()
      return players.every((player) => stateOf(player).count === sent)
    })
    for (const player of players) assert.equal(received(player, 'room_closed'), undefined)
    // The recording begins with the snapshot, and with what `onRestore` changed.
    const { body } = await other.side.server('GET', `/v1/admin/x/rooms/${ids[0]}/turns`)
    assert.equal(body.start.state.version, DEPLOYS)
    assert.deepEqual([body.turns[0].events, body.turns[0].patch], [[['restore']], { version: DEPLOYS + 1 }])
    await other.end()
  })

  test('[RWC-100] after a deploy a player learns which of its inputs the state contains', async () => {
    const other = await newCodeGame(service, classes(1))
    const [player] = (await other.players(1)) as [GamePlayer]
    const { room } = await player.request({ t: 'create' })
    assert.deepEqual(room.server, { tickRate: 20, tick: 0 })
    for (const seq of [1, 2]) player.send({ t: 'send', type: 'add', seq })
    await player.settled()
    await deployRooms(other.side, classes(2), { finishMinutes: 0 })
    // Some are handled by the old version, some by the new one before the player sees it.
    for (let seq = 3; views(player) < 2; seq++) {
      player.send({ t: 'send', type: 'add', seq })
      await player.settled()
      tick()
    }
    const view = player.received.findLast(({ t }) => t === 'room_joined') as unknown as { room: Shown }
    assert.equal(view.room.server.seq, view.room.state.count)
    await other.end()
  })

  test('[RWC-45] rooms keep their version for finishMinutes; new rooms get the new one', async () => {
    const other = await newCodeGame(service, classes(1), { room: { finishMinutes: 2 } })
    const [old, fresh] = (await other.players(2)) as [GamePlayer, GamePlayer]
    await old.request({ t: 'create' })
    await add(old)
    await deployRooms(other.side, classes(2))
    assert.equal((await fresh.request({ t: 'create' })).room.state.version, 2)
    await pass(80_000, [old, fresh])
    await add(old)
    assert.equal((merged(old).state as { version: number }).version, 1)
    await comesTrue('the room has moved', () => {
      tick(5_000)
      return (merged(old).state as { version: number }).version === 2
    })
    assert.equal((merged(old).state as { count: number }).count, 2)
    await other.end()
  })

  test('[RWC-46] a class that is gone or cannot restore a room closes it with `updated`', async () => {
    for (const next of [
      'export class Other extends Room {}',
      classes(2, 'onRestore() { throw new Error() }'),
    ]) {
      const other = await newCodeGame(service, classes(1))
      const [player] = (await other.players(1)) as [GamePlayer]
      await player.request({ t: 'create' })
      await deployRooms(other.side, next, { finishMinutes: 0 })
      assert.deepEqual(await ticking(player.next('room_closed')), { t: 'room_closed', reason: 'updated' })
      await other.end()
    }
  })

  test('[RWC-114] functions that are disabled or deployed again while rooms start leave no error behind', async () => {
    const never = classes(1, 'onCreate(options) { return options && new Promise(() => {}) }')
    const other = await newCodeGame(service, never)
    const players = await other.players(3)
    const [first, second] = players as [GamePlayer, GamePlayer, GamePlayer]
    const { server } = other.side
    const isOk = (player: GamePlayer, frame: object) =>
      player.request(frame).then(
        () => true,
        () => false,
      )
    for (let times = 0; times < 3; times++) {
      const created = players.map((player) => isOk(player, { t: 'create' }))
      assert.equal((await server('POST', '/v1/admin/functions/disable', {})).status, 200)
      await Promise.all(created)
      assert.equal((await server('POST', '/v1/admin/functions/enable', {})).status, 200)
    }
    const opening = isOk(first, { t: 'create', code: 'NEVEROPN', options: {} })
    await comesTrue('the room opens', async () => {
      const { body } = await server('GET', '/v1/admin/realtime')
      return body.rooms.length > 0
    })
    const joining = isOk(second, { t: 'join', code: 'NEVEROPN' })
    await deployRooms(other.side, never, { finishMinutes: 0 })
    assert.deepEqual(await ticking(Promise.all([opening, joining]), 250), [false, false])
    await other.end()
  })

  test('[RWC-47] disabled functions close their rooms', async () => {
    const other = await newCodeGame(service, classes(1))
    const [player] = (await other.players(1)) as [GamePlayer]
    await player.request({ t: 'create' })
    const { status } = await other.side.server('POST', '/v1/admin/functions/disable', {})
    assert.equal(status, 200)
    assert.deepEqual(await player.next('room_closed'), { t: 'room_closed', reason: 'closed' })
    assert.equal((await player.refusal({ t: 'create' })).code, 'mode_unavailable')
    await other.end()
  })
})
