import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import type { RoomRecording, RoomTurn } from '@svc/contract/realtime/code-rooms'
import type { LeaveReason } from '@svc/contract/realtime/rooms'

import { readAnswer } from '../src/room/read-answer.ts'
import type { MessagesOf, OptionsOf, OwnOf, RoomLeaveReason, StateOf } from '../src/room/room.ts'
import { Refusal, Room, type RoomPlayer } from '../src/room/room.ts'
import { createRooms } from '../src/room/runtime.ts'
import { createTestRoom, replay } from '../src/room/test.ts'
import { infoOf } from './room-fixtures.ts'

class Duel extends Room<{ hp: Record<string, number>; turns: number }, { hand: number[] }> {
  static override tickRate = 10
  wins = 0
  override onCreate(options: { hp: number } | null) {
    this.state = { hp: { monster: options?.hp ?? 10 }, turns: 0 }
  }
  override async onJoin(player: RoomPlayer) {
    await Promise.resolve()
    if (this.players.length > 2) throw new Refusal('two players are enough')
    this.own(player).hand = [Math.floor(this.random() * 6)]
    this.state.hp[player.id] = 5
  }
  override onLeave(player: RoomPlayer) {
    delete this.state.hp[player.id]
  }
  override onTick() {
    this.state.turns++
  }
  override onRestore(saved: { wins: number }) {
    this.wins = saved.wins
  }
  override save() {
    return { wins: this.wins }
  }
  override onWake() {
    this.send('bell')
  }
  override onServerMessage(type: string): unknown {
    return type === 'players' ? this.players : type
  }
  override messages = {
    hit: (player: RoomPlayer, { damage }: { damage: number }) => {
      if (damage > 5) throw new RangeError('too strong')
      this.state.hp['monster'] = (this.state.hp['monster'] ?? 0) - damage
      this.send('ouch', damage, player)
      return this.state.hp['monster']
    },
    finish: async (player: RoomPlayer) => {
      this.wins++
      await this.report(player, { wins: 1 })
      this.end({ winner: player.id })
    },
    nap: () => this.wakeAt(this.now + 1_000),
    wins: () => this.wins,
  }
}

type Equal<One, Other> = [One, Other] extends [Other, One] ? true : false

describe('a room in a unit test', () => {
  test('state, own states, messages, results and errors are those that players would get', async () => {
    const room = await createTestRoom(Duel, { options: { hp: 20 } })
    const ada = await room.join('ada')
    const bob = await room.join('bob', 'Bob')
    await assert.rejects(room.join('eve'), { message: 'two players are enough' })
    assert.deepEqual([...room.players.keys()], ['ada', 'bob'])
    assert.deepEqual(room.state, { hp: { monster: 20, ada: 5, bob: 5 }, turns: 0 })
    assert.equal(room.own('ada').hand.length, 1)

    ada.send('hit', { damage: 3 })
    assert.equal(await ada.call('hit', { damage: 2 }), 15)
    assert.throws(() => ada.send('hit', { damage: 9 }), RangeError)
    await assert.rejects(ada.call('hit', { damage: 9 }), RangeError)
    assert.deepEqual(ada.received, [
      { type: 'ouch', data: 3 },
      { type: 'ouch', data: 2 },
    ])
    assert.deepEqual(bob.received, [])
    assert.equal(ada.acknowledged, 4)
    room.tick(3)
    assert.deepEqual([room.state.turns, room.nowMs], [3, 300])
    assert.deepEqual(room.patches.at(-1), { turns: 3 })

    ada.send('nap')
    assert.equal(room.wakeAt, 1_300)
    room.wake()
    assert.deepEqual(room.sent.at(-1), { type: 'bell', data: null, to: '*' })
    assert.equal(await room.serverMessage('hello'), 'hello')

    bob.disconnect()
    bob.reconnect()
    bob.leave()
    assert.deepEqual(room.state.hp, { monster: 15, ada: 5 })
    await ada.call('finish')
    assert.deepEqual(room.reports, [{ playerId: 'ada', stats: { wins: 1 } }])
    assert.deepEqual(room.ended, { result: { winner: 'ada' } })
    assert.deepEqual(room.errors, [])
  })

  test('a restart continues from the snapshot', async () => {
    const room = await createTestRoom(Duel)
    const ada = await room.join('ada')
    await ada.call('finish')
    const { hand } = room.own('ada')
    const bob = await room.join('bob', 'Bob')
    bob.disconnect()
    await room.restart()
    assert.deepEqual(await room.serverMessage('players'), [
      { id: 'ada', displayName: 'ada', connected: true },
      { id: 'bob', displayName: 'Bob', connected: false },
    ])
    assert.equal(await ada.call('wins'), 1)
    assert.deepEqual(room.own('ada').hand, hand)
  })

  test('a class that cannot be opened rejects with its error', async () => {
    class Broken extends Duel {
      override onCreate(): void {
        throw new TypeError('no map')
      }
    }
    await assert.rejects(createTestRoom(Broken), TypeError)
  })

  test('a client gets its types from the class', () => {
    type Messages = MessagesOf<Duel>
    const checks: [
      Equal<StateOf<Duel>['turns'], number>,
      Equal<OwnOf<Duel>, { hand: number[] }>,
      Equal<OptionsOf<Duel>, { hp: number } | null>,
      Equal<Messages['hit'], { data: { damage: number }; result: number }>,
      Equal<Messages['finish'], { data: undefined; result: void }>,
      Equal<keyof Messages, 'hit' | 'finish' | 'nap' | 'wins'>,
      Equal<RoomLeaveReason, LeaveReason>,
    ] = [true, true, true, true, true, true, true]
    assert.ok(checks.every(Boolean))
  })
})

describe('a recording of a room', () => {
  /** Records as the service does: what the room got, and what it changed. */
  async function record(
    steps: readonly (readonly unknown[])[],
    Class: typeof Duel = Duel,
  ): Promise<RoomRecording> {
    const turns: RoomTurn[] = []
    const note = (text: string, at: number, events: unknown[]) => {
      for (const { turn, effects } of readAnswer(text)) {
        const own = effects
          .filter(({ kind }) => kind === 'own')
          .map(({ target, payload }) => [target, payload])
        const patch = (effects.find(({ kind }) => kind === 'sync')?.payload ?? null) as RoomTurn['patch']
        const errors = effects.flatMap(({ kind, payload }) =>
          kind === 'threw' ? [(payload as { message: string }).message] : [],
        )
        turns.push({
          turn,
          tick: 0,
          at,
          events,
          patch,
          own: Object.fromEntries(own) as RoomTurn['own'],
          ...(errors.length > 0 && { errors }),
        })
      }
    }
    const rooms = createRooms({
      classes: { Duel: Class },
      env: {},
      run: (_, work) => work(),
      send: (text) => note(text, 0, []),
      onError: () => {},
    })
    for (const [at, events] of steps.entries()) {
      note(rooms.handle(JSON.stringify([['r1', at + 1, at * 100, events]])), at * 100, [...events])
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { roomId: 'r1', className: 'Duel', version: 1, tickRate: 10, start: null, turns }
  }
  const steps = [
    [
      ['open', 'Duel', null, infoOf('r1'), 'seed'],
      ['join', { id: 'ada', displayName: 'Ada' }],
    ],
    [
      ['in', 'ada', 1, 'hit', { damage: 2 }],
      ['tick', 1],
    ],
    [
      ['in', 'ada', 2, 'hit', { damage: 1 }],
      ['tick', 2],
    ],
  ]

  const snapshot = {
    state: { hp: { monster: 8, ada: 5 }, turns: 1 },
    own: { ada: { hand: [1] } },
    saved: { wins: 0 },
    random: [1, 2, 3, 4],
    tick: 1,
    wakeAt: null,
  }
  const players = [{ id: 'ada', displayName: 'Ada', connected: true }]
  const start = { ...snapshot, options: null, info: infoOf('r1'), players }

  test('the same class does the same again, also after an await and from a snapshot', async () => {
    const recording = await record(steps)
    assert.deepEqual(
      recording.turns.map(({ turn }) => turn),
      [1, -1, 2, 3],
    )
    await replay(Duel, recording)
    await replay(Duel, { ...recording, start, turns: recording.turns.slice(-1) })
  })

  test('[RWC-107] a class that throws as in the recording fails at that turn, and passes when it is mended', async () => {
    class Fragile extends Duel {
      override onTick() {
        if ((this.state.hp['monster'] ?? 0) < 8) throw new Error('the monster is hurt')
        super.onTick()
      }
    }
    const more = [['tick', 3]]
    const recording = await record([...steps, more], Fragile)
    assert.deepEqual(recording.turns.at(-1)?.errors, ['the monster is hurt'])
    await assert.rejects(replay(Fragile, recording), {
      message: 'Turn 3: the code threw an error: the monster is hurt',
    })
    await replay(Duel, recording)
    // Before the error the states are still compared, and a new error counts after it, too.
    class Stronger extends Duel {
      override onTick() {
        this.state.turns += 2
      }
    }
    await assert.rejects(
      replay(Stronger, recording),
      /^Error: Turn 2: state\.turns is 2, the recording has 1\./,
    )
    class LaterBroken extends Duel {
      override onTick() {
        if (this.tick === 3) throw new Error('three is too much')
        super.onTick()
      }
    }
    await assert.rejects(replay(LaterBroken, recording), /^Error: Turn 4: .* three is too much$/)
    // A class that throws where the recorded one did not.
    await assert.rejects(replay(Fragile, await record(steps)), /^Error: Turn 3: the code threw an error/)
  })

  test('[RWC-120] what a replay rejects with has the stack of what the code threw', async () => {
    const problem = new Error('the map is torn')
    class Torn extends Duel {
      override onTick() {
        throw problem
      }
    }
    const frames = (error: unknown) =>
      String((error as Error).stack)
        .split('\n')
        .slice(1)
    for (const Class of [
      Torn,
      class extends Torn {
        override onCreate() {
          this.onTick()
        }
      },
    ])
      await assert.rejects(replay(Class, await record(steps)), (error: Error) => {
        assert.equal(error.cause, problem)
        assert.deepEqual(frames(error), frames(problem))
        assert.match(String(error.stack), /^Error: .*: the map is torn\n {4}at .*room-test\.test\.ts:/)
        return true
      })
    class NoError extends Duel {
      override onTick() {
        // oxlint-disable-next-line no-throw-literal
        throw 'a text'
      }
    }
    await assert.rejects(replay(NoError, await record(steps)), {
      message: 'Turn 2: the code threw an error: a text',
      cause: 'a text',
    })
  })

  test('[RWC-107] an error after an await is found, and reports of stats need no env', async () => {
    class Late extends Duel {
      override async onJoin(player: RoomPlayer) {
        await this.report(player, { wins: 1 })
        throw new Error('no seat')
      }
    }
    const recording = await record(steps.slice(0, 1), Duel)
    const errors = ['no seat']
    const failed = {
      ...recording,
      turns: recording.turns.map((turn) => (turn.turn === -1 ? { ...turn, errors } : turn)),
    }
    await assert.rejects(replay(Late, failed), { message: 'After turn 1: the code threw an error: no seat' })
    await replay(Duel, failed)
  })

  test('[RWC-107] a recording that begins with a restart contains what onRestore changed', async () => {
    class Restored extends Duel {
      override onRestore(saved: { wins: number }) {
        super.onRestore(saved)
        this.state.turns = 7
      }
    }
    const turn = { tick: 1, at: 100, own: {} }
    const turns = [
      { ...turn, turn: 1, events: [['restore']], patch: { turns: 7 } },
      { ...turn, turn: 2, events: [['tick', 2]], patch: { turns: 8 } },
    ]
    const recording = { roomId: 'r1', className: 'Duel', version: 2, tickRate: 10, start, turns }
    await replay(Restored, recording)
    await assert.rejects(
      replay(Duel, recording),
      /^Error: Turn 1: state\.turns is unchanged, the recording has 7\. The recording begins with a snapshot: /,
    )
  })

  test('the first turn and path that differ are named', async () => {
    const recording = await record(steps)
    class Stronger extends Duel {
      override onTick() {
        this.state.turns += this.state.turns === 1 ? 5 : 1
      }
    }
    await assert.rejects(replay(Stronger, recording), {
      message: 'Turn 3: state.turns is 6, the recording has 2.',
    })
    class Quiet extends Duel {
      override async onJoin() {}
    }
    await assert.rejects(
      replay(Quiet, recording),
      /^Error: After turn 1: state\.hp is unchanged, the recording has/,
    )
    class Broken extends Duel {
      override onCreate(): void {
        throw new Error('no map')
      }
    }
    await assert.rejects(replay(Broken, recording), /could not be opened: no map/)
  })
})
