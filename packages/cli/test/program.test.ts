import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { runs } from '../../server/src/testing/runs.ts'
import { startTestSetup, type TestSetup } from './cli.ts'

/** At least one command of every group; none of them changes what another one prints. */
const COMMANDS: string[][] = [
  ['init', '--yes'],
  ['link'],
  ['projects'],
  ['deploys'],
  ['promote'],
  ['config', 'diff'],
  ['enable', 'nothing'],
  ['functions'],
  ['keys', '--json'],
  ['team'],
  ['providers'],
  ['players', 'find', '--json'],
  ['appeals'],
  ['rooms', '--once'],
  ['leaderboards'],
  ['share', 'links'],
  ['mail'],
  ['money'],
  ['agent'],
  ['mcp', 'install'],
  ['whoami'],
  ['login', '--token-stdin'],
  ['account', 'delete'],
  ['doctor', '--url', 'http://127.0.0.1:1'],
  ['backup', 'saved.tar'],
  ['help', 'deploy'],
  ['deplo', '--json'],
  ['--version'],
]

/** The short form runs every fourth of them as a program, which takes half a second of CPU time each. */
const AS_PROGRAM = COMMANDS.filter((_, at) => at % runs(4, 1) === 0)

describe('the real program', () => {
  let setup: TestSetup
  before(async () => {
    setup = await startTestSetup()
    await setup.json(['new', 'game', '--no-install'])
    await setup.json(['config', 'push'], { folder: join(setup.root, 'game') })
  })
  after(() => setup.stop())

  /** A file system without files and without free space, so that `doctor` and `backup` print the same each time. */
  const options = () => ({
    folder: join(setup.root, 'game'),
    variables: { SVC_DATA_DIR: '/proc' },
    input: '',
  })

  for (const args of AS_PROGRAM)
    test(`svc ${args.join(' ')} prints and exits as in a test process`, async () => {
      const expected = await setup.svc(args, options())
      assert.deepEqual(await setup.program(args, options()), expected)
      assert.notEqual(expected.out + expected.err, '')
    })

  test('a command in a test process leaves nothing in it', async () => {
    const traces = () => ({
      folder: process.cwd(),
      variables: { ...process.env },
      exitCode: process.exitCode,
      listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
    })
    const before = traces()
    for (const args of COMMANDS) await setup.svc(args, options())
    assert.deepEqual(traces(), before)
  })
})
