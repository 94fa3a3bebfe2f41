import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

import { currentServer } from '../../../scripts/build/current-server.js'
import { freePort } from '../../../scripts/free-port.ts'
import { CHECKOUT_CACHE, SERVER_OPTIONS } from '../bin/on-node-26.js'

export { freePort }

/** A busy machine may start the program slowly. */
const START_TIMEOUT_MS = 120_000

type Variables = Record<string, string>
export type Ended = { code: number | null; signal: string | null; output: string; errors: string }
export type ServerProcess = {
  /** The first output of the server. */
  banner: string
  port: number
  pid: number
  ended: Promise<Ended>
  signal: (name: NodeJS.Signals) => void
}

/**
 * The arguments with which `svc-server` of this checkout replaces itself. It has tests of its own; without it, a start takes 0.1 s less
 * CPU time.
 */
export function builtServer(): string[] {
  builtMain ??= currentServer(process.execPath)
  return [...SERVER_OPTIONS, '--disable-warning=ExperimentalWarning', builtMain]
}
let builtMain: string | undefined

/** Starts the program like an operator, without the environment of the test. Resolves with its first output, or when it exits. */
function launch(variables: Variables, program?: string) {
  // Only one of several programs gets the default ports for TURN and voice, and the others would print a message about it.
  const env = { TURN_PORT: '0', VOICE_PORT: '0', NODE_COMPILE_CACHE: CHECKOUT_CACHE, ...variables }
  const args = program === undefined ? builtServer() : [program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(
    ([[code, signal], output, errors]): Ended => ({ code, signal, output, errors }),
  )
  return {
    child,
    ended,
    spoke: once(child.stdout, 'data', { signal: AbortSignal.timeout(START_TIMEOUT_MS) }),
  }
}

/** For starts that must fail. */
export async function runServer(variables: Variables): Promise<Ended> {
  const { child, ended, spoke } = launch(variables)
  // The program should exit by itself. If it starts serving instead, it is killed, and its exit shows that.
  spoke.then(() => child.kill('SIGKILL')).catch(() => {})
  return ended
}

const TRIES = 5

/** `program`: an installed one, in place of the one of this checkout. Without a `PORT` on a free one; on another one if a test that runs at the same time was faster. */
export async function startServer(variables: Variables, program?: string): Promise<ServerProcess> {
  if (variables['PORT'] !== undefined) return startOn(Number(variables['PORT']), variables, program)
  for (let tries = 1; ; tries++)
    try {
      return await startOn(await freePort(), variables, program)
    } catch (error) {
      if (tries === TRIES || !/Port \d+ is in use/.test(String(error))) throw error
    }
}

async function startOn(port: number, variables: Variables, program?: string): Promise<ServerProcess> {
  const { child, ended, spoke } = launch({ LOG_LEVEL: 'error', ...variables, PORT: String(port) }, program)
  const early = ended.then(({ errors }) =>
    Promise.reject(new Error(`the server ended at its start: ${errors}`)),
  )
  let banner = ''
  try {
    banner = String(await Promise.race([spoke, early]))
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  early.catch(() => {})
  return { banner, port, pid: child.pid ?? 0, ended, signal: (name) => void child.kill(name) }
}

export type CallServer = (
  method: string,
  path: string,
  options?: { token?: string; key?: string; body?: unknown },
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not so
) => Promise<{ status: number; body: any }>

export const callerOf =
  ({ port }: Pick<ServerProcess, 'port'>): CallServer =>
  async (method, path, { token, key, body } = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(key && { 'x-svc-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(START_TIMEOUT_MS),
    })
    return { status: answer.status, body: await answer.json() }
  }

/**
 * Like `callerOf`, for requests of a set-up, which must succeed. A program has the timeouts of the product: on a busy machine Redis
 * may answer too late for it, and the request gets 503. Such a request is repeated, as a client would do.
 */
export const setUpCallerOf = (server: Pick<ServerProcess, 'port'>): CallServer => {
  const call = callerOf(server)
  return async (method, path, options) => {
    for (const deadline = performance.now() + START_TIMEOUT_MS; ;) {
      const answer = await call(method, path, options)
      if (answer.status === 200) return answer
      const isRepeated = answer.status === 503 && performance.now() < deadline
      assert.ok(isRepeated, `${method} ${path}: ${JSON.stringify(answer)}`)
      await pause(100)
    }
  }
}
