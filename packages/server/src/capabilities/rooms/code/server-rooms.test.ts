import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { RoomRecording } from '@svc/contract/realtime/code-rooms'

import { deployRooms, merged, newCodeGame, ticking as tickingOf } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import type { TestEnvironment } from '../../../testing/service.ts'
import { suite } from '../../../testing/suite.ts'

const COUNTER = `
export class Arena extends Room {
  static tickRate = 20
  state = { count: 0 }
  onCreate(options) { this.state.map = options?.map ?? 'none' }
  onJoin(player) { this.own(player).hand = 'hand of ' + player.id }
  messages = { add: (player, by) => { this.state.count += by } }
  onServerMessage(type, data) {
    if (type === 'throw') throw new Error('it failed')
    if (type === 'refuse') throw new Refusal('not now')
    if (type === 'throw later') return Promise.resolve().then(() => { throw new Error('it failed later') })
    this.state.count += data
    return { count: this.state.count }
  }
  onTick() { this.state.left = this.tick }
}`

const ROOMS = '/v1/admin/x/rooms'

suite('rooms with code, for the developer', { start: startFunctionsService }, ({ service }) => {
  const ticking = <T>(answer: Promise<T>) => tickingOf(service, answer)

  test('[RWC-50] a server opens a room, sends it messages and closes it', async () => {
    const game = await newCodeGame(service, COUNTER)
    const { server } = game.side
    const opened = await server('POST', ROOMS, { mode: 'default', options: { map: 'lake' }, code: 'LAKE1' })
    assert.equal(opened.status, 201)
    assert.equal(opened.body.code, 'LAKE1')
    const { id } = opened.body

    const [player] = await game.players(1)
    assert.ok(player)
    const { room } = await ticking(player.request({ t: 'join', code: 'lake1' }))
    assert.equal(room.state.map, 'lake')

    const sent = await ticking(server('POST', `${ROOMS}/${id}/messages`, { type: 'add', data: 5 }))
    assert.deepEqual([sent.status, sent.body], [200, { data: { count: 5 } }])
    const thrown = await ticking(server('POST', `${ROOMS}/${id}/messages`, { type: 'throw' }))
    assert.deepEqual([thrown.status, thrown.body.error.code], [500, 'room_error'])

    const { server: foreign } = (await service.newProject()).development
    await foreign('PUT', '/v1/config', { features: { multiplayer: true } })
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', '/state'],
      ['GET', '/turns'],
    ] as const)
      assert.equal((await foreign(method, `${ROOMS}/${id}${path}`)).body.error.code, 'room_not_found')
    const theirs = await foreign('POST', `${ROOMS}/${id}/messages`, { type: 'add', data: 1 })
    assert.equal(theirs.body.error.code, 'room_not_found')

    const closed = await server('DELETE', `${ROOMS}/${id}`)
    assert.deepEqual(closed.body, { deleted: true })
    assert.equal((await player.next('room_closed')).reason, 'closed')
    const gone = await server('POST', `${ROOMS}/${id}/messages`, { type: 'add', data: 1 })
    assert.deepEqual([gone.status, gone.body.error.code], [404, 'room_not_found'])
  })

  test('[RWC-50] what a server may not open or send', async () => {
    const game = await newCodeGame(service, COUNTER)
    const { server } = game.side
    const codeOf = async (body: object) => (await server('POST', ROOMS, body)).body.error?.code
    assert.equal(await codeOf({ mode: 'relay' }), 'invalid_request')
    assert.equal(await codeOf({ mode: 'missing' }), 'mode_not_found')
    assert.equal(await codeOf({ mode: 'default', options: 'x'.repeat(4 * 1024 - 1) }), 'payload_too_large')
    assert.equal(await codeOf({ mode: 'default', options: 'x'.repeat(4 * 1024 - 2) }), undefined)

    const [host] = await game.players(1)
    assert.ok(host)
    const { room } = await host.request({ t: 'create', mode: 'relay' })
    const message = await server('POST', `${ROOMS}/${room.id}/messages`, { type: 'add', data: 1 })
    assert.equal(message.body.error.code, 'room_not_found', 'a room without code')
    const closed = await server('DELETE', `${ROOMS}/${room.id}`)
    assert.equal(closed.body.error.code, 'room_not_found', 'a room without code')
  })

  test('[RWC-51] development shows the state of a room; production only its size, or with a reason, which is audited', async () => {
    const game = await newCodeGame(service, COUNTER)
    const { server } = game.side
    const [player] = await game.players(1)
    assert.ok(player)
    const { room } = await ticking(player.request({ t: 'create' }))
    const [{ id: selfId }] = room.players
    const shown = await ticking(server('GET', `${ROOMS}/${room.id}/state`))
    assert.equal(shown.body.state.count, 0)
    assert.deepEqual(shown.body.own, { [selfId]: { hand: `hand of ${selfId}` } })
    assert.equal(shown.body.stateBytes, JSON.stringify(shown.body.state).length)

    const { production } = game.project
    const multiplayer = { modes: [{ key: 'default', room: { class: 'Arena' } }] }
    await production.server('PUT', '/v1/config', { features: { multiplayer: true }, multiplayer })
    await deployRooms(production, COUNTER)
    const { id } = (await production.server('POST', ROOMS, { mode: 'default' })).body
    const hidden = await ticking(production.server('GET', `${ROOMS}/${id}/state`))
    assert.deepEqual([hidden.body.state, hidden.body.own], [null, null])
    assert.ok(hidden.body.stateBytes > 10)
    const seen = await ticking(production.server('GET', `${ROOMS}/${id}/state?reason=a+report+of+cheating`))
    assert.equal(seen.body.state.count, 0)
    const entries = await game.project.developer.call('GET', `/v1/projects/${game.project.id}/audit`)
    const [newest] = entries.body.entries
    assert.deepEqual(
      [newest.action, newest.target, newest.details],
      ['room.state_read', id, { reason: 'a report of cheating' }],
    )
    const turns = await production.server('GET', `${ROOMS}/${id}/turns`)
    assert.equal(turns.body.error.code, 'development_only')
  })

  test('[RWC-52] the last turns of a room lead to its state', async () => {
    const game = await newCodeGame(service, COUNTER)
    const [player] = await game.players(1)
    assert.ok(player)
    const { room } = await ticking(player.request({ t: 'create' }))
    player.send({ t: 'send', type: 'add', data: 2, seq: 1 })
    await ticking(player.request({ t: 'send', type: 'add', data: 3 }))
    const { body } = await game.side.server('GET', `${ROOMS}/${room.id}/turns`)
    assert.deepEqual([body.className, body.start, body.tickRate], ['Arena', null, 20])
    const kinds = body.turns.flatMap(({ events }: { events: [string][] }) => events.map(([kind]) => kind))
    assert.equal(kinds[0], 'open')
    assert.deepEqual(
      ['join', 'in', 'ask', 'tick'].filter((kind) => !kinds.includes(kind)),
      [],
    )
    const frames = body.turns.map(({ patch }: { patch: object | null }) => ({ t: 'sync', patch }))
    assert.equal((merged({ received: frames }).state as { count: number }).count, 5)
  })

  /** The turns of a room, as the developer gets them. */
  const turnsOf = async (side: TestEnvironment, id: string): Promise<RoomRecording['turns']> =>
    (await side.server('GET', `${ROOMS}/${id}/turns`)).body.turns

  test('[RWC-105] a recorded turn has the errors that the code threw in it, also after an await; a Refusal is none', async () => {
    const { side } = await newCodeGame(service, COUNTER)
    const { id } = (await side.server('POST', ROOMS, { mode: 'default' })).body
    for (const type of ['refuse', 'throw', 'throw later', 'add'])
      await ticking(side.server('POST', `${ROOMS}/${id}/messages`, { type, data: 1 }))
    const turns = await turnsOf(side, id)
    assert.deepEqual(
      turns.flatMap(({ turn, events, errors }) =>
        errors ? [{ isLate: turn === -1, kind: (events as [string, number, string][])[0]?.[2], errors }] : [],
      ),
      [
        { isLate: false, kind: 'throw', errors: ['it failed'] },
        { isLate: true, kind: undefined, errors: ['it failed later'] },
      ],
    )
  })

  test('[RWC-106] the recording of a room that has ended can be read for ten minutes, only in its environment', async () => {
    const { side } = await newCodeGame(
      service,
      `export class Arena extends Room {
        static tickRate = 20
        onTick() { this.state.left = this.tick; if (this.tick > 5) throw new Error('no ball') }
      }`,
    )
    const { id } = (await side.server('POST', ROOMS, { mode: 'default' })).body
    // It is closed after 20 errors.
    const isOver = async () => (await side.server('GET', `${ROOMS}/${id}/state`)).status === 404
    while (!(await ticking(isOver()))) service.clock.advance(50)
    const turns = await turnsOf(side, id)
    assert.equal(turns.filter(({ errors }) => errors?.[0] === 'no ball').length, 20)
    assert.equal(turns.at(-1)?.patch?.['left'], 25)
    const foreign = (await service.newProject()).development
    assert.equal((await foreign.server('GET', `${ROOMS}/${id}/turns`)).body.error.code, 'room_not_found')

    service.clock.advance(10 * 60_000 - 1_000)
    assert.equal((await turnsOf(side, id)).length, turns.length)
    service.clock.advance(1_000)
    assert.equal((await side.server('GET', `${ROOMS}/${id}/turns`)).body.error.code, 'room_not_found')
  })

  test('[RWC-106] the recordings of the last eight rooms that have ended are kept', async () => {
    const { side } = await newCodeGame(service, COUNTER)
    const ids: string[] = []
    while (ids.length < 9) {
      const { id } = (await side.server('POST', ROOMS, { mode: 'default' })).body
      ids.push(id)
      await side.server('DELETE', `${ROOMS}/${id}`)
    }
    const found = await Promise.all(
      ids.map(async (id) => (await side.server('GET', `${ROOMS}/${id}/turns`)).status),
    )
    assert.deepEqual(found, [404, ...Array.from({ length: 8 }, () => 200)])
  })

  test('[RWC-52] a recording that is older than a minute begins with a snapshot', async () => {
    const game = await newCodeGame(service, COUNTER)
    const [player] = await game.players(1)
    assert.ok(player)
    const { room } = await ticking(player.request({ t: 'create' }))
    for (let second = 0; second < 75; second++) {
      service.clock.advance(1_000)
      await player.next('sync')
    }
    const { body } = await game.side.server('GET', `${ROOMS}/${room.id}/turns`)
    assert.equal(body.start.info.id, room.id)
    assert.equal(body.start.players.length, 1)
    assert.ok(body.turns.length > 50)
    assert.ok(
      body.turns.every(({ events }: { events: [string][] }) => events.every(([kind]) => kind !== 'open')),
    )
  })
})
