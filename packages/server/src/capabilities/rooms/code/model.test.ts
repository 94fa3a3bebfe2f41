import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { merged, newCodeGame, workerdPids } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { runs } from '../../../testing/runs.ts'
import { suite } from '../../../testing/suite.ts'

const CLASSES = `
export class Arena extends Room {
  state = { count: 0, balls: {}, list: [] }
  onJoin(player) { this.state.balls[player.id] = { x: 0 }; this.own(player).hand = 'hand of ' + player.id }
  onLeave(player) { delete this.state.balls[player.id] }
  onDisconnect(player) { this.state.balls[player.id].away = true }
  onReconnect(player) { delete this.state.balls[player.id].away }
  messages = {
    move: (player, by) => { this.state.balls[player.id].x += by; this.state.list.push(by); if (this.state.list.length > 5) this.state.list = []; this.own(player).moves = by },
    replace: (player) => { this.state.balls[player.id] = { x: 0, more: { deep: [1, { a: 2 }] } } },
    later: async (player) => { await null; this.state.count++ },
    all: (player) => ({ state: this.state, own: this.own(player) }),
  }
}`

type Step = { at: number; what: 'join' | 'leave' | 'move' | 'replace' | 'later' | 'reconnect' | 'kill' }
const step = fc.record<Step>({
  at: fc.nat({ max: 2 }),
  what: fc.constantFrom('join', 'leave', 'move', 'move', 'replace', 'later', 'reconnect', 'kill'),
})

suite('the model of a room with code', { start: startFunctionsService }, ({ service }) => {
  test('[RWC-26] [RWC-27] [RWC-41] after random joins, leaves, inputs, reconnects and ends of the process, every client has the state of the room', async () => {
    const game: Game = await newCodeGame(service, CLASSES)

    async function run(steps: readonly Step[]) {
      const [host, ...others] = (await game.players(4)) as [GamePlayer, ...GamePlayer[]]
      const { room } = await host.request({ t: 'create' })
      const seated = new Set<number>()
      const all = [host]
      let isKilled = false
      for (const { at, what } of steps) {
        const player = others[at] as GamePlayer
        if (what === 'kill') {
          // A room that has not answered twice within a minute is closed.
          if (isKilled) continue
          isKilled = true
          const [known, before] = [workerdPids(), host.received.length]
          for (const pid of known) process.kill(pid, 'SIGKILL')
          const isBack = () => {
            // A start that fails is tried again by the service's clock.
            service.clock.advance(500)
            return host.received.slice(before).some(({ t }) => t === 'room_joined')
          }
          if (known.length > 0) await comesTrue('the room is back', isBack)
          service.clock.advance(1_000)
        } else if (what === 'join' && !seated.has(at)) {
          await player.request({ t: 'join', roomId: room.id })
          seated.add(at)
        } else if (!seated.has(at) || what === 'join') continue
        else if (what === 'leave') {
          await player.request({ t: 'leave' })
          seated.delete(at)
        } else if (what === 'reconnect') {
          await player.close()
          all.push(player)
          const again = await game.enter(player.guest)
          others[at] = again
          await again.request({ t: 'resume', roomId: room.id })
        } else await player.request({ t: 'send', type: what, data: at + 1 })
      }
      for (const player of [host, ...[...seated].map((at) => others[at] as GamePlayer)]) {
        await comesTrue('the client has the state of the room', async () => {
          const { data } = await player.request({ t: 'send', type: 'all' })
          const { state, own } = merged(player)
          return JSON.stringify(sorted(data)) === JSON.stringify(sorted({ state, own }))
        })
      }
      for (const player of [...all, ...others])
        for (const other of [...all, ...others])
          if (other.id !== player.id)
            assert.ok(!JSON.stringify(player.received).includes(`hand of ${other.id}`))
      await Promise.all([host, ...others].map((player) => player.close()))
    }

    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 15 }), run), { numRuns: runs(8, 250) })
    await game.end()
  })
})

/** The same keys in the same order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  )
}
