import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { connect } from '../../server/src/testing/sockets.ts'
import { follow, startFunctionsSetup, type TestSetup } from './cli.ts'

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

  test('[RWC-122] a constant that the main file exports is refused with the file and what to do', async () => {
    await write(1)
    const file = join(folder, 'functions/src/index.ts')
    await writeFile(file, `${await readFile(file, 'utf8')}export const COUNT_MAX = 20\n`)
    const { err, code } = await setup.svc(['functions', 'deploy'], { folder })
    assert.equal(code, 4, err)
    assert.match(err, /src\/index\.ts\S* .*exports COUNT_MAX, .*move it to another file/)
    assert.doesNotMatch(err, /\$\.modules/)
    await write(1)
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

  test('[RWC-73] state, send and close, by code or id; what fails names the fix', async () => {
    const { socket, id, code, playerId } = await openRoom()
    assert.equal((await socket.request({ t: 'send', type: 'add' })).data, 1)
    const { state, own } = await setup.json(['rooms', 'state', code.toLowerCase()], { folder })
    assert.deepEqual([state, own], [{ count: 1 }, { [playerId]: { added: 1 } }])
    assert.match((await setup.svc(['rooms', 'state', id], { folder })).out, /tick 0 {3}state 11 B\n\{\n/)
    assert.match(
      (await setup.svc(['rooms', '--once'], { folder })).out,
      / count {2}1\/4 {2}Counter v\d+ tick 0 {2}Ada/,
    )

    const sent = await setup.svc(['rooms', 'send', code, 'set', '41'], { folder })
    assert.equal(sent.out, '{\n  "count": 41\n}\n', sent.err)
    assert.equal((await socket.request({ t: 'send', type: 'add' })).data, 42)
    for (const [args, ends, fix] of [
      [['send', code, 'set', '{count'], 2, /double quotes/],
      [['send', code, 'other'], 5, /svc functions logs/],
      [['state', 'NOTHING1'], 4, /svc rooms --once/],
      [['close', 'rom_00000000000000000000000000'], 4, /svc rooms --once/],
      [['record', code, '--out', 'lost.ts'], 2, /must end in \.test\.ts/],
    ] as const) {
      const ended = await setup.svc(['rooms', ...args], { folder })
      assert.deepEqual([ended.code, fix.test(ended.err)], [ends, true], `${args.join(' ')}: ${ended.err}`)
    }

    await setup.json(['rooms', 'close', code], { folder })
    assert.equal((await socket.next('room_closed'))['reason'], 'closed')
    await socket.close()
  })

  test('[RWC-73] record writes a test that passes, and fails after the code has changed', async () => {
    await write(2)
    await setup.json(['functions', 'deploy', '--finish-minutes', '0'], { folder })
    const { socket, code } = await openRoom()
    for (const type of ['add', 'roll', 'add']) await socket.request({ t: 'send', type })
    const recorded = await setup.svc(['rooms', 'record', code, '--out', 'count.test.ts'], { folder })
    assert.match(
      recorded.out,
      /◆ \d+ turns of Counter v\d+ recorded\n {2}Run the test: node --test count\.test\.ts/,
    )
    assert.equal((await stat(join(folder, 'count.json'))).mode & 0o777, 0o600)
    assert.equal((await setup.svc(['rooms', 'record', code, '--out', 'count.test.ts'], { folder })).code, 1)

    // Without our own variables: a test runner within a test runner runs nothing.
    const replayed = () =>
      spawnSync(process.execPath, ['--test', 'count.test.ts'], {
        cwd: folder,
        env: setup.own,
        encoding: 'utf8',
      })
    const same = replayed()
    assert.equal(same.status, 0, same.stdout + same.stderr)
    assert.match(same.stdout, /pass 1/)
    await write(3)
    const changed = replayed()
    assert.notEqual(changed.status, 0)
    assert.match(changed.stdout, /Turn \d+: state\.count is 3, the recording has 2\./)
    await rm(join(folder, 'count.test.ts'))
    await socket.close()
  })

  test('[RWC-71] dev: an open room continues in the new code, and a line says so', async (t) => {
    await write(10)
    const prints = follow(t, ['functions', 'dev'], { folder, variables: setup.own })
    await prints(/waiting for changes/)

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
