import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'

import { startFixtures, type Fixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures()))
after(() => fixtures.stop())

const SDK = new URL('../src/index.ts', import.meta.url).href
const ENDS_TIMEOUT_MS = 20_000

/** A program of its own; it ends when nothing keeps it, or is ended. */
function run(program: string) {
  const text = `import { connect } from '${SDK}'
    const svc = await connect(${JSON.stringify({ url: fixtures.url, key: fixtures.key })})
    ${program}`
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--input-type=module-typescript', '-e', text],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(ENDS_TIMEOUT_MS) }).catch(
    (error: unknown) => {
      child.kill('SIGKILL')
      throw error
    },
  )
  return { child, ended }
}

const said = async ({ stdout }: ChildProcess) => String(await once(stdout ?? process.stdin, 'data')).trim()

test('calls alone do not keep a program running', async () => {
  const { ended } = run('await svc.saves.list()')
  assert.deepEqual(await ended, [0, null])
})

test('after close the program ends: in a room, in a channel, waiting for a match', async () => {
  const { ended } = run(`
    await svc.rooms.create({ mode: 'party' })
    await svc.channels.join('lobby')
    svc.close()`)
  assert.deepEqual(await ended, [0, null])
  const waiting = run(`
    const match = svc.rooms.quickMatch('duel').catch(({ code }) => console.log(code))
    await svc.rooms.resume()
    svc.close()
    await match`)
  assert.equal(await said(waiting.child), 'aborted')
  assert.deepEqual(await waiting.ended, [0, null])
})

test('a lost connection without users does not keep a program running', async () => {
  const { child, ended } = run(`
    const room = await svc.rooms.create({ mode: 'party' })
    await room.leave()
    console.log('left')`)
  assert.equal(await said(child), 'left')
  fixtures.destroyConnections()
  assert.deepEqual(await ended, [0, null])
})

test('leaving a room without a connection does not keep a program running', async () => {
  const { child, ended } = run(`
    const room = await svc.rooms.create({ mode: 'party' })
    room.on('reconnecting', () => void room.leave())
    console.log('seated')`)
  assert.equal(await said(child), 'seated')
  fixtures.destroyConnections()
  assert.deepEqual(await ended, [0, null])
})
