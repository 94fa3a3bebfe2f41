import { test } from 'node:test'

import { merged, newCodeGame } from '../../testing/code-rooms.ts'
import { startFunctionsService } from '../../testing/deployed-functions.ts'
import type { GamePlayer } from '../../testing/rooms.ts'
import { suite } from '../../testing/suite.ts'

const ARENA = `
export class Arena extends Room {
  static tickRate = 20
  state = { left: 100, balls: {} }
  onCreate(options) { this.state.map = options?.map ?? 'none' }
  onJoin(player) {
    if (player.displayName === null) throw new Refusal('no name')
    this.state.balls[player.id] = { x: 0 }
    this.own(player).hand = 'hand of ' + player.id
  }
  onLeave(player) { delete this.state.balls[player.id] }
  messages = {
    move: (player, by) => { this.state.balls[player.id].x += by },
    where: (player) => this.state.balls[player.id],
    say: (player, text) => this.send('said', { by: player.id, text }),
  }
  onTick() { this.state.left-- }
}`

suite('rooms with code', { start: startFunctionsService }, ({ service }) => {
  test('[RWC-25] create, join, tick, send, reply and leave', async () => {
    const game = await newCodeGame(service, ARENA)
    const [host, guest] = (await game.players(2)) as [GamePlayer, GamePlayer]
    const { room } = await host.request({ t: 'create', options: { map: 'lake' } })
    console.log(JSON.stringify(room))
    const joining = guest.request({ t: 'join', roomId: room.id })
    service.clock.advance(50)
    console.log(JSON.stringify(await joining))
    const answer = host.request({ t: 'send', type: 'where' })
    host.send({ t: 'send', type: 'move', data: 3, seq: 1 })
    await host.settled()
    service.clock.advance(50)
    console.log(JSON.stringify(await answer))
    console.log(JSON.stringify(await host.next('sync')))
    console.log(merged(host), merged(guest))
    await guest.request({ t: 'leave' })
    service.clock.advance(50)
    await host.next('sync')
    console.log(merged(host), merged(guest))
    await game.end()
  })
})
