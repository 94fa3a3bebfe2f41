import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

import { freePort } from '../../server/test/server-process.ts'
import { NPM_VARIABLES } from './npm-variables.ts'

/** The clone of the repository. */
const CLONE = join(import.meta.dirname, '../../..')
const TIMEOUT_MS = 60_000

export type Shell = Awaited<ReturnType<typeof openShell>>
type Answer = { question: RegExp; key: string }

/** A user with an empty home folder: starts the service with `npm start`, then types commands in a second terminal. */
export async function openShell() {
  const root = await mkdtemp(join(tmpdir(), 'svc journey-'))
  const own = {
    HOME: join(root, 'home'),
    PATH: [join(root, 'global/bin'), process.env['PATH'] ?? ''].join(delimiter),
    npm_config_prefix: join(root, 'global'),
    TERM: 'xterm',
    // Silences output of npm itself.
    npm_config_progress: 'false',
    ...NPM_VARIABLES,
  }
  await mkdir(own.HOME)
  const port = await freePort()
  const service = npmStart({ ...own, PORT: String(port), SVC_DATA_DIR: join(root, 'data'), TURN_PORT: '0' })
  const banner = await service.said.until(/^ {2}Functions .*\n\n/m).catch(async (error: unknown) => {
    await service.stop()
    throw error
  })

  /** Runs a command line; with an `answer` in a terminal, where it is typed once the question is shown. */
  async function type(line: string, folder = CLONE, answer?: Answer) {
    const [program, ...args] = answer
      ? ['script', '-qec', `stty cols 120; ${line}`, '/dev/null']
      : ['sh', '-c', line]
    const child = spawn(String(program), args, { cwd: folder, env: own, timeout: TIMEOUT_MS })
    const [out, err] = [listenTo(child.stdout), listenTo(child.stderr)]
    if (answer) {
      await out.until(answer.question)
      child.stdin.write(answer.key)
    } else child.stdin.end()
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, lines: linesOf(out.all).filter(isOurs), problems: linesOf(err.all) }
  }

  return {
    root,
    port,
    banner: linesOf(banner),
    type,
    async close() {
      await service.stop()
      await rm(root, { recursive: true, force: true })
    },
  }
}

function npmStart(env: NodeJS.ProcessEnv) {
  // A separate process group, as in a terminal: Ctrl-C goes to npm, to its shell and to the service.
  const child: ChildProcess & { stdout: Readable } = spawn('npm', ['start'], {
    cwd: CLONE,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  return {
    said: listenTo(child.stdout),
    async stop() {
      process.kill(-Number(child.pid), 'SIGINT')
      await ended
    },
  }
}

function listenTo(stream: Readable) {
  let heard = ''
  stream.setEncoding('utf8').on('data', (more: string) => (heard += more))
  return {
    get all() {
      return heard
    },
    async until(pattern: RegExp): Promise<string> {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      while (!pattern.test(stripVTControlCharacters(heard))) await once(stream, 'data', { signal })
      return heard
    },
  }
}

/** Removes the line with which `npm run` repeats the command. */
const isOurs = (line: string) => !line.startsWith('> ')

const linesOf = (said: string): string[] =>
  stripVTControlCharacters(said)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
