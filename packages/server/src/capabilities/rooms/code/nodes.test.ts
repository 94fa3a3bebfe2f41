import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { deployRooms, merged, newCodeGame } from '../../../testing/code-rooms.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { type Service, startService } from '../../../testing/service.ts'

const CLASSES = `
export class Arena extends Room {
  state = { count: 0, players: {} }
  onJoin(player) { this.state.players[player.id] = true; this.own(player).hand = 'hand of ' + player.id }
  onLeave(player) { delete this.state.players[player.id] }
  save() { return this.secret ?? 0 }
  onRestore(saved) { this.secret = saved }
  messages = {
    add: () => { this.secret = (this.secret ?? 0) + 1; return ++this.state.count },
    secret: () => this.secret,
  }
}`

describe('rooms with code on two nodes with one PostgreSQL and Redis', () => {
  const folders: string[] = []
  let [one, two]: (Service | undefined)[] = []
  let game: Game
  async function start(clusterOf?: Service) {
    const folder = await mkdtemp(join(tmpdir(), 'svc-functions-'))
    await chmod(folder, 0o711)
    folders.push(folder)
    const settings = { FUNCTIONS_DIR: folder, SVC_NODE_URL: 'http://127.0.0.1:1', SVC_BILLING: 'off' }
    return startService('postgres', { settings, ...(clusterOf && { clusterOf }) })
  }
  before(async () => {
    one = await start()
    two = await start(one)
    game = await newCodeGame(one, CLASSES)
  })
  after(async () => {
    await game.end()
    await two?.stop()
    await one?.stop()
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })

  const count = (player: GamePlayer) => (merged(player).state as { count: number }).count

  test('[RWC-49] players of another node join, send, get syncs and their own state only', async () => {
    const [host, guest] = [await game.player(one), await game.player(two)]
    const { room } = await host.request({ t: 'create' })
    await guest.request({ t: 'join', roomId: room.id })
    assert.deepEqual(await guest.request({ t: 'send', type: 'add' }), { data: 1 })
    await comesTrue('both see it', () => count(host) === 1 && count(guest) === 1)
    assert.deepEqual(merged(guest).state, merged(host).state)
    assert.ok(!JSON.stringify(guest.received).includes(`hand of ${host.id}`))
    assert.ok(!JSON.stringify(host.received).includes(`hand of ${guest.id}`))
    await Promise.all([host.close(), guest.close()])
  })

  test('[RWC-54] messages that a player of another node sends while the room moves count once, and none is refused', async () => {
    const third = await start(one)
    const [host, guest] = [await game.player(third), await game.player(two)]
    const { room } = await host.request({ t: 'create' })
    await guest.request({ t: 'join', roomId: room.id })
    const views = () => guest.received.filter(({ t }) => t === 'room_joined').length
    const before = views()
    let [sent, isClosed] = [0, false]
    const closing = third.close().then(() => (isClosed = true))
    await comesTrue('the player is back in the room', async () => {
      guest.send({ t: 'send', type: 'add' })
      sent++
      await guest.settled()
      // For the rate of frames.
      two?.clock.advance(50)
      return isClosed && views() > before
    })
    await closing
    assert.deepEqual(
      guest.received.filter(({ t }) => t === 'warn').map(({ code }) => code as string),
      [],
    )
    await comesTrue('every message has counted', () => count(guest) >= sent)
    assert.equal((await guest.request({ t: 'send', type: 'secret' }))['data'], sent)
    await guest.close()
    await third.stop()
  })

  test('[RWC-49] [RWC-54] a node that stops loses nothing: its rooms continue on the other node', async () => {
    const third = await start(one)
    const [host, guest] = [await game.player(third), await game.player(two)]
    const { room } = await host.request({ t: 'create' })
    await guest.request({ t: 'join', roomId: room.id })
    for (let adds = 1; adds <= 5; adds++) await host.request({ t: 'send', type: 'add' })
    const before = guest.received.filter(({ t }) => t === 'room_joined').length
    await third.close()
    await comesTrue(
      'the player of the other node is back',
      () => guest.received.filter(({ t }) => t === 'room_joined').length > before,
    )
    assert.equal(count(guest), 5)
    assert.deepEqual(await guest.request({ t: 'send', type: 'secret' }), { data: 5 })
    const back = await game.enter(host.guest, one)
    assert.equal((await back.request({ t: 'resume', roomId: room.id })).room.state.count, 5)
    assert.deepEqual(await back.request({ t: 'send', type: 'add' }), { data: 6 })
    await comesTrue('both see it', () => count(guest) === 6)
    await deployRooms(game.side, CLASSES, { finishMinutes: 0 })
    await comesTrue('a deploy reaches rooms of the other node', async () => {
      one?.clock.advance(100)
      const { body } = await game.side.server('GET', '/v1/admin/realtime')
      return body.rooms.every(({ server }: { server: { version: number } }) => server.version === 2)
    })
    assert.deepEqual(await back.request({ t: 'send', type: 'add' }), { data: 7 })
    await third.stop()
  })
})
