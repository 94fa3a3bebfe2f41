import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { deploymentOf } from '../../server/src/testing/deployed-functions.ts'
import { modulesWithRooms } from '../../server/src/testing/room-code.ts'
import { newGameServer } from '../../server/test/realtime/game-server.ts'
import { callerOf, startServer } from '../../server/test/server-process.ts'
import { connect, type Room } from '../src/index.ts'
import { next } from './fixtures.ts'

const MODE = { key: 'turns', minPlayers: 2, maxPlayers: 2, room: { class: 'Turns', keepDays: 3 } }
const CODE = `
import { Room } from './room.js'
export class Turns extends Room {
  state = { moves: [] }
  messages = { move: (player, move) => this.state.moves.push(move) }
}
export default { fetch: () => new Response('ok') }
`

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-kept-'))
  // The account of the sandbox must be able to enter it.
  await chmod(folder, 0o711)
})
after(() => rm(folder, { recursive: true, force: true }))

test('[RWC-130] [RWC-131] [RWC-132] players of a kept room whose only node is killed at once are back in it with every move that was answered', async (t) => {
  const variables = {
    SVC_SECRET_KEY: 'ab'.repeat(32),
    SVC_BASE_URL: 'http://game.localhost',
    SVC_DATA_DIR: folder,
    SVC_RATE_LIMITS: 'off',
    SVC_BILLING: 'off',
  }
  let server = await startServer(variables)
  t.after(() => server.signal('SIGKILL'))
  const { publishableKey, secretKey } = await newGameServer(server, {
    features: { multiplayer: true },
    multiplayer: { modes: [MODE] },
  })
  const functions = async (path: string, body: object) => {
    const answer = await callerOf(server)('POST', `/v1/admin/functions${path}`, { key: secretKey, body })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
  }
  await functions('/enable', {})
  await functions('/deployments', deploymentOf(modulesWithRooms(CODE)))

  const url = `http://127.0.0.1:${server.port}`
  const [ada, bo] = [await connect({ url, key: publishableKey }), await connect({ url, key: publishableKey })]
  t.after(() => [ada, bo].forEach((svc) => svc.close()))
  const adas = await ada.rooms.create({ mode: 'turns' })
  const bos = await bo.rooms.join({ id: adas.id })
  await adas.call('move', 'e4')
  await bos.call('move', 'e5')
  const returned = [adas, bos].map((room) => next(room, 'reconnected'))
  const closed: unknown[] = []
  for (const room of [adas, bos]) room.on('closed', (reason) => void closed.push(reason))

  server.signal('SIGKILL')
  await server.ended
  server = await startServer({ ...variables, PORT: String(server.port) })
  await Promise.all(returned)

  assert.deepEqual(closed, [])
  const movesOf = (room: Room) => (room.state as { moves: string[] }).moves
  for (const room of [adas, bos]) assert.deepEqual(movesOf(room), ['e4', 'e5'])
  assert.equal(await adas.call('move', 'Nf3'), 3)
})
