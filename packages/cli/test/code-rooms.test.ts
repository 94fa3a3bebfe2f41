import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { comesTrue } from '../../server/src/testing/in-time.ts'
import { connect } from '../../server/src/testing/sockets.ts'
import { launch, startFunctionsSetup, type TestSetup } from './cli.ts'

/** A room that adds `by` at each message; its server can set the number. */
const codeOf = (by: number, extra = '') => `import { Refusal, Room, type RoomPlayer } from '@svc/sdk/room'
export class Counter extends Room<{ count: number }, { added: number }> {
  onCreate() {
    this.state = { count: 0 }
  }
  messages = {
    add: (player: RoomPlayer) => {
      this.own(player).added = (this.own(player).added ?? 0) + ${by}
      return (this.state.count += ${by})
    },
    roll: () => (this.state.count = Math.floor(this.random() * 1_000)),
  }
  onServerMessage(type: string, data: unknown) {
    if (type !== 'set') throw new Refusal('There is no such message.')
    this.state.count = Number(data ?? 0)
    return { count: this.state.count }
  }
  ${extra}
}
export default {}
`

describe('svc and rooms with code', () => {
  let setup: TestSetup
  let folder: string
  let key: string
  before(async () => {
    setup = await startFunctionsSetup()
    await setup.json(['new', 'counter', '--template', 'empty'])
    folder = join(setup.root, 'counter')
    key =
      /^SVC_DEVELOPMENT_PUBLISHABLE_KEY=(.*)$/m.exec(await readFile(join(folder, '.env'), 'utf8'))?.[1] ?? ''
    await setup.json(['functions', 'init'], { folder })
    await pushModes({ class: 'Counter' })
  })
  after(() => setup.stop())

  async function pushModes(room: object) {
    const path = join(folder, 'svc.config.json')
    const config = JSON.parse(await readFile(path, 'utf8'))
    config.features.multiplayer = true
    config.multiplayer = { modes: [{ key: 'count', minPlayers: 1, room }] }
    await writeFile(path, JSON.stringify(config))
    await setup.json(['config', 'push', '--yes'], { folder })
  }

  const write = (by: number, extra?: string) =>
    writeFile(join(folder, 'functions/src/index.ts'), codeOf(by, extra))

  /** A player in a new room. */
  async function openRoom() {
    const { body } = await setup.call('POST', '/v1/auth/guest', { key, body: { displayName: 'Ada' } })
    const socket = await connect(setup, { publishableKey: key }, body)
    const { room } = await socket.request({ t: 'create', mode: 'count' })
    return { socket, id: room.id as string, code: room.code as string, playerId: body.player.id as string }
  }

  test('[RWC-74] a room class is bundled as it is, with the SDK of a folder that svc new has set up', async () => {
    await write(1)
    const { version } = await setup.json(['functions', 'deploy'], { folder })
    assert.equal(version, 1)
    const status = await setup.json(['functions'], { folder })
    assert.deepEqual(status.rooms, [{ className: 'Counter', tickRate: 0 }])
  })

  test('[RWC-71] a mode without its class is a warning of the deploy; minutes are 0 to 240', async () => {
    await pushModes({ class: 'Missing' })
    const { out, err, code } = await setup.svc(['functions', 'deploy', '--finish-minutes', '240'], { folder })
    assert.equal(code, 0, err)
    assert.match(out, / ! .*count.*Missing/)
    await pushModes({ class: 'Counter' })
    for (const minutes of ['241', '-1', '1.5', 'soon'])
      assert.equal(
        (await setup.svc(['functions', 'deploy', '--finish-minutes', minutes], { folder })).code,
        2,
        minutes,
      )
  })

  test('[RWC-71] dev: an open room continues in the new code, and a line says so', async (t) => {
    await write(10)
    const child = launch(['functions', 'dev'], { folder, variables: setup.own })
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => (out += chunk))
    const exit = once(child, 'exit')
    t.after(async () => {
      child.kill('SIGKILL')
      await exit
    })
    const prints = async (pattern: RegExp, begin: () => Promise<unknown>) => {
      const from = out.length
      await begin()
      await comesTrue(`output ${pattern}`, () => pattern.test(out.slice(from))).catch((error: Error) =>
        assert.fail(`${error.message}:\n${out.slice(from)}`),
      )
    }
    await prints(/waiting for changes/, async () => {})

    const { socket } = await openRoom()
    assert.equal((await socket.request({ t: 'send', type: 'add' })).data, 10)
    await prints(/◇ \d+ rooms? continued in v\d+\n/, () => write(100))
    assert.equal((await socket.request({ t: 'send', type: 'add' })).data, 110)

    await prints(/! \d+ rooms? closed; the reason is in the log/, () =>
      write(100, `onRestore() { throw new Error('not this one') }`),
    )
    assert.equal((await socket.next('room_closed'))['reason'], 'updated')
    await socket.close()
  })
})
