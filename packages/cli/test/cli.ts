import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

import { findOrInstall } from '../../../scripts/programs.ts'
import { comesTrue } from '../../server/src/testing/in-time.ts'
import { callerOf, startServer } from '../../server/test/server-process.ts'
import { runSvc } from '../src/run.ts'
import { systemOf } from '../src/system.ts'
import { NPM_VARIABLES } from './npm-variables.ts'

const PROGRAM = join(import.meta.dirname, '../bin/svc.js')
const COMMAND_TIMEOUT_MS = 120_000

export type Ended = {
  code: number | null
  out: string
  err: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not so
  json: any
}
export type Options = { folder?: string; variables?: Record<string, string>; input?: string }
export type Svc = (args: string[], options?: Options) => Promise<Ended>
export type TestSetup = Awaited<ReturnType<typeof startTestSetup>>

/** A command line with everything that it may read. */
type CommandLine = { args: string[]; folder: string; variables: Record<string, string>; input: string }

/** Starts the real program, without our own environment variables. */
export function launch(
  args: string[],
  { folder, variables }: { folder: string; variables: Record<string, string> },
) {
  return spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: variables,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/**
 * Starts a command that runs until the end of the test. What it returns runs `begin`, and resolves with the first group of the pattern when
 * the command has printed that since.
 */
export function follow(t: TestContext, ...command: Parameters<typeof launch>) {
  const child = launch(...command)
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  const exit = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await exit
  })
  return async (pattern: RegExp, begin: () => Promise<unknown> = async () => {}): Promise<string> => {
    const from = out.length
    await begin()
    const found = () => pattern.exec(out.slice(from))
    await comesTrue(`output ${pattern}`, () => found() !== null).catch((error: Error) =>
      assert.fail(`${error.message}:\n${out.slice(from)}`),
    )
    return found()?.[1] ?? ''
  }
}

/** The real program as a line for a shell. */
export const commandLine = (args: readonly string[]): string =>
  [process.execPath, PROGRAM, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')

/** Starts a process, which takes 0.3 s of CPU time. */
async function runProgram({ args, folder, variables, input }: CommandLine) {
  const child = launch(args, { folder, variables })
  child.stdin.end(input)
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS)
  const [[code], out, err] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  clearTimeout(timer)
  return { code, out, err }
}

/** Runs the command in this process. It gets its own streams, variables, folder and signals, and none of this process. */
async function runInProcess({ args, folder, variables, input }: CommandLine) {
  const parts = { env: variables, cwd: () => folder, stdin: Readable.from([input]) }
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const system = systemOf(
    Object.assign(new EventEmitter(), parts, { stdout, stderr }),
    variables['HOME'] ?? '',
  )
  const [out, err] = [text(stdout), text(stderr)]
  const code = await runSvc(args, system)
  stdout.end()
  stderr.end()
  return { code, out: await out, err: await err }
}

/** Starts a service on this machine, and runs the CLI for a user who has installed it and nothing else. */
export async function startTestSetup(settings: Record<string, string> = {}) {
  const root = await mkdtemp(join(tmpdir(), 'svc cli-'))
  const home = join(root, 'home')
  // As after `npm install -g`.
  await mkdir(join(home, 'bin'), { recursive: true })
  await symlink(PROGRAM, join(home, 'bin/svc'))
  const dataDir = join(root, 'data')
  const server = await startServer({
    SVC_DATA_DIR: dataDir,
    SVC_RATE_LIMITS: 'off',
    ...settings,
  })
  const url = `http://localhost:${server.port}`
  const PATH = [join(home, 'bin'), process.env['PATH'] ?? ''].join(delimiter)
  const own = { HOME: home, SVC_URL: url, PATH, ...NPM_VARIABLES }

  const svcBy =
    (run: (command: CommandLine) => Promise<Omit<Ended, 'json'>>): Svc =>
    async (args, { folder = root, variables = {}, input = '' } = {}) => {
      const ended = await run({ args, folder, variables: { ...own, ...variables }, input })
      return { ...ended, json: args.includes('--json') ? parsed(ended.out || ended.err) : undefined }
    }
  const svc = svcBy(runInProcess)

  /** Runs a command that must succeed; returns its JSON. */
  const json = async (args: string[], options?: Options) => {
    const ended = await svc([...args, '--json'], options)
    assert.equal(ended.code, 0, ended.err)
    return ended.json
  }

  return {
    root,
    home,
    dataDir,
    url,
    /** The output of the service at its start. */
    banner: server.banner,
    port: server.port,
    own,
    svc,
    /** Like `svc`, as a process: for what Node or the operating system does. */
    program: svcBy(runProgram),
    json,
    call: callerOf(server),
    async stop() {
      server.signal('SIGTERM')
      await server.ended
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Like `startTestSetup`, with functions. */
export async function startFunctionsSetup(): Promise<TestSetup> {
  findOrInstall('bubblewrap')
  const data = await mkdtemp(join(tmpdir(), 'svc-functions-'))
  // Functions run as another account, which has to reach its files.
  await chmod(data, 0o711)
  const setup = await startTestSetup({ FUNCTIONS_DIR: data, SVC_BILLING: 'off' })
  return {
    ...setup,
    async stop() {
      await setup.stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
