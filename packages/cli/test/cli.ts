import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { callerOf, startServer } from '../../server/test/server-process.ts'

/** What `bin/svc.js` runs on Node 26; other tests start the launcher itself. It would take a fifth of the time of most commands. */
const PROGRAM = [
  '--conditions=source',
  `--import=${new URL('../../server/bin/relative-imports.js', import.meta.url).href}`,
  '--disable-warning=ExperimentalWarning',
  join(import.meta.dirname, '../src/main.ts'),
]
const COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/svc')
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

/** Starts the real program, without our own environment variables. */
export function launch(
  args: string[],
  { folder, variables }: { folder: string; variables: Record<string, string> },
) {
  return spawn(process.execPath, [...PROGRAM, ...args], {
    cwd: folder,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** The real program as a line for a shell. */
export const commandLine = (args: readonly string[]): string =>
  [process.execPath, ...PROGRAM, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')

/** Starts a service on this machine, and runs the CLI with an empty home folder. */
export async function startTestSetup(settings: Record<string, string> = {}) {
  const root = await mkdtemp(join(tmpdir(), 'svc cli-'))
  const home = join(root, 'home')
  await mkdir(home)
  const dataDir = join(root, 'data')
  const server = await startServer({
    SVC_DATA_DIR: dataDir,
    SVC_RATE_LIMITS: 'off',
    ...settings,
  })
  const url = `http://localhost:${server.port}`
  const own = { HOME: home, SVC_URL: url, PATH: process.env['PATH'] ?? '' }

  const svc: Svc = async (args, { folder = root, variables = {}, input = '' } = {}) => {
    const child = launch(args, { folder, variables: { ...own, ...variables } })
    child.stdin.end(input)
    const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS)
    const [[code], out, err] = await Promise.all([
      once(child, 'exit'),
      text(child.stdout),
      text(child.stderr),
    ])
    clearTimeout(timer)
    return { code, out, err, json: args.includes('--json') ? parsed(out || err) : undefined }
  }

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
    json,
    call: callerOf(server),
    async stop() {
      server.signal('SIGTERM')
      await server.ended
      await rm(root, { recursive: true, force: true })
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
