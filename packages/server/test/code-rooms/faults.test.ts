import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { LIMITS } from '@svc/contract/common/limits'

import { SECOND_MS } from '../../src/platform/clock.ts'
import { until } from '../../src/testing/rooms.ts'
import { runs, skipsTurn } from '../../src/testing/runs.ts'
import type { Received } from '../../src/testing/sockets.ts'
import type { ReconnectingPlayer } from '../realtime/reconnecting-player.ts'
import { type NodeName, otherThan } from '../realtime/two-nodes.ts'
import {
  assertSameState,
  assertTicksGrow,
  type CodeFixture,
  type CodeNodes,
  lastTick,
  startAdding,
  startCodeNodes,
  viewCounts,
  viewedAgain,
  viewsOf,
} from './nodes.ts'

const TICK_MS = SECOND_MS / 20
/** How long a client waits for a reply. */
/** Longer than the code may wait for a call of its own. */
const REPLY_MS = LIMITS.roomPromiseTimeoutMs + 10 * SECOND_MS
/** A snapshot a second, and the time that a busy machine needs to save it. */
const LOST_MS_MAX = 2 * SECOND_MS

describe('rooms with code on two server programs', () => {
  let cluster: CodeNodes
  before(async () => void (cluster = await startCodeNodes()))
  after(async () => {
    await cluster?.stop()
    assert.deepEqual(cluster?.logged.filter(Boolean), [])
  })

  /** The room runs for a while, so that it has snapshots and something to lose. */
  async function playing(t: TestContext, owner: NodeName) {
    const fixture = await cluster.openRoom(owner)
    const adding = startAdding(t, fixture.all)
    await until(async () => fixture.all.every(({ receivedEvents }) => lastTick(receivedEvents) >= 25))
    return { ...fixture, adding }
  }

  async function resume({ roomId, owner }: CodeFixture, players: readonly ReconnectingPlayer[]) {
    for (const player of players) {
      await player.connect(cluster.nodes[otherThan(owner)])
      await player.must({ t: 'resume', roomId })
    }
  }

  async function closeAll(players: readonly ReconnectingPlayer[]) {
    for (const player of players) {
      assertTicksGrow(player)
      await player.close()
    }
  }

  test(`[RWC-53] after kill -9 of its node, ${runs(1, 20)} times, a room continues on the other one and loses about a second`, async (t) => {
    for (let kills = 0; kills < runs(1, 20); kills++) {
      const fixture = await playing(t, kills % 2 ? 'b' : 'a')
      const { owner, all, onOwner, elsewhere, adding } = fixture
      const before = viewCounts(all)
      const startedAt = performance.now()
      await cluster.kill(owner)
      const shown = Math.max(...all.map(({ receivedEvents }) => lastTick(receivedEvents)))
      await viewedAgain(elsewhere, before)
      const standingMs = performance.now() - startedAt
      adding.stop()
      const [view] = elsewhere.map((player) => viewsOf(player)[before.get(player) ?? 0]?.['room'])
      const lostMs = (shown - Number(view.server.tick)) * TICK_MS
      assert.ok(lostMs <= LOST_MS_MAX, `${lostMs} ms were lost`)

      await resume(fixture, onOwner)
      const { secret } = await assertSameState(all)
      // What was saved by `save()` and the state are of the same moment.
      assert.equal((await all[0]?.must({ t: 'send', type: 'all' }))?.['data'].state.count, secret)
      t.diagnostic(`kill ${kills + 1}: back after ${Math.round(standingMs)} ms, ${lostMs} ms of play lost`)
      await closeAll(all)
      await cluster.restart(owner)
    }
  })

  test('[RWC-54] a node that stops loses nothing: no turn, no message, no call of a binding fails', async (t) => {
    const fixture = await playing(t, 'b')
    const { owner, all, onOwner, elsewhere, adding } = fixture
    const before = viewCounts(all)
    const [sender, caller] = elsewhere as [ReconnectingPlayer, ReconnectingPlayer]
    adding.stop()
    const start = Number((await sender.must({ t: 'send', type: 'all' }))['data'].state.count)
    let isStopping = true
    t.after(() => (isStopping = false))
    let [sent, calls] = [0, 0]
    const unanswered: string[] = []
    const refusals = new Set<string>()
    const sending = (async () => {
      for (; isStopping; sent++) {
        sender.socket.send({ t: 'send', type: 'add' })
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()
    const calling = (async () => {
      for (; isStopping; calls++) {
        const rid = `call ${calls}`
        caller.socket.send({ t: 'send', type: 'store', rid })
        const isReply = (event: Received) => event.t === 'reply' && event['rid'] === rid
        const answer = () => caller.receivedEvents.findLast(isReply)
        for (const endsAt = performance.now() + REPLY_MS; !answer() && performance.now() < endsAt;)
          await pause(5)
        if (!answer()) unanswered.push(rid)
        else if (answer()?.['ok'] !== true) refusals.add(String(answer()?.['error'].code))
      }
    })()
    await until(async () => sent > 20 && calls > 5)
    assert.equal(await cluster.stopNode(owner), 0)
    const shown = Math.max(...elsewhere.map(({ receivedEvents }) => lastTick(receivedEvents)))
    await viewedAgain(elsewhere, before)
    await until(async () => lastTick(sender.receivedEvents) > shown + 5)
    isStopping = false
    await Promise.all([sending, calling])
    await resume(fixture, onOwner)

    for (const player of elsewhere) {
      const index = player.receivedEvents.lastIndexOf(viewsOf(player).at(-1) ?? { t: '' })
      const tick = lastTick(player.receivedEvents.slice(0, index))
      assert.ok(viewsOf(player).at(-1)?.['room'].server.tick >= tick, 'a turn was lost')
    }
    // Also `rate_limited`, because the sender is faster than a player may be.
    const warnings = sender.receivedEvents.flatMap(({ t: type, code }) =>
      type === 'warn' ? String(code) : [],
    )
    assert.ok(!warnings.includes('service_unavailable'), 'no message is refused because its room moves')
    const { data } = await sender.must({ t: 'send', type: 'all' })
    assert.equal(data.state.count - start, sent - warnings.length, 'every message counts once')
    assert.deepEqual(unanswered, [], 'every call gets a reply')
    // A call in progress is refused, and the client repeats it.
    assert.deepEqual(
      [...refusals].filter((code) => code !== 'service_unavailable'),
      [],
    )
    await assertSameState(all)
    t.diagnostic(
      `${sent} messages, ${warnings.length} refused; ${calls} calls, refused: ${[...refusals].join()}`,
    )
    await closeAll(all)
    await cluster.restart(owner)
  })

  test('[RWC-55] a node that was paused until another one owns its room says nothing of the room any more', async (t) => {
    if (skipsTurn(t, 0)) return
    const fixture = await playing(t, 'a')
    const { owner, all, onOwner, elsewhere, adding } = fixture
    const before = viewCounts(all)
    cluster.freeze(owner)
    // These wait until the node continues.
    for (const { socket } of onOwner) socket.send({ t: 'send', type: 'add' })
    await viewedAgain(elsewhere, before)
    const marks = new Map(onOwner.map((player) => [player, player.receivedEvents.length]))
    cluster.wake(owner)
    await viewedAgain(onOwner, before)
    for (const player of onOwner) {
      const since = player.receivedEvents.slice(marks.get(player))
      const isView = (t: string) => t === 'room_joined'
      const early = since.slice(
        0,
        since.findIndex((event) => isView(event.t)),
      )
      assert.deepEqual(
        early.filter((event) => ['sync', 'message', 'player_left'].includes(event.t)),
        [],
      )
    }
    adding.stop()
    await assertSameState(all)
    await closeAll(all)
  })

  test('[RWC-56] without Redis a room makes no turn; afterwards it continues with the next one', async (t) => {
    if (skipsTurn(t, 1)) return
    const { all, onOwner, adding } = await playing(t, 'a')
    adding.stop()
    await cluster.stopRedis()
    const [host] = onOwner as [ReconnectingPlayer]
    const isRefused = async () =>
      (await host.socket.refusal({ t: 'send', type: 'add' }).catch(() => undefined))?.code ===
      'service_unavailable'
    await until(isRefused)
    const [shown, mark] = [lastTick(host.receivedEvents), host.receivedEvents.length]
    // A second of refusals: 20 ticks would have been due.
    for (let refusals = 0; refusals < 20; refusals++) {
      assert.ok(await isRefused())
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
    assert.deepEqual(
      host.receivedEvents.slice(mark).filter((event) => event.t === 'sync'),
      [],
    )
    await cluster.startRedis()
    await until(async () => all.every(({ receivedEvents }) => lastTick(receivedEvents) > shown))
    const next = host.receivedEvents.slice(mark).find(({ t: type, patch }) => type === 'sync' && patch?.ticks)
    assert.equal(next?.['tick'], shown + 1, 'no turn was made in the meantime')
    await assertSameState(all)
    await closeAll(all)
  })

  test('[RWC-57] the log has the lines of rooms of every node, each once', async () => {
    const rooms = [await cluster.openRoom('a'), await cluster.openRoom('b')]
    for (const node of ['a', 'b'] as const) {
      const created = async () => {
        const { lines } = await cluster.admin(node, 'GET', '/logs?q=created&limit=1000')
        return rooms.map(
          ({ roomId }) => lines.filter((line: { requestId: string }) => line.requestId === roomId).length,
        )
      }
      await until(async () => (await created()).every((count) => count > 0))
      assert.deepEqual(await created(), [1, 1])
    }
    await closeAll(rooms.flatMap(({ all }) => all))
  })
})
