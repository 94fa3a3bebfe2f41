import { type Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

import type { CallServer } from './server-process.ts'

type Options = { key?: string; token?: string; body?: object }
type Answer = Awaited<ReturnType<CallServer>>
/** Sends one request and never repeats it. Never rejects: without an answer, the status is 0. */
export type Send = (method: string, path: string, options?: Options) => Promise<Answer>

/** An access token is valid for 15 minutes. */
const PLAYER_MS = 10 * 60_000
const RETRY_MS = 200
const READ_MAX_MS = 120_000
const ANSWER_MAX_MS = 60_000
const TEXT = 'x'.repeat(500)

/** Players who write one save after the other. `lost` must stay empty; it is complete after `stop`. */
export function startSavers(send: Send, { players, pauseMs }: { players: number; pauseMs: number }) {
  const report = { acknowledged: 0, lost: [] as string[] }
  let isStopping = false

  async function play() {
    const { status, body } = await send('POST', '/v1/auth/guest', { body: {} })
    if (status !== 200) return pause(RETRY_MS)
    const saver = createSaver(send, String(body.accessToken))
    for (const endsAt = performance.now() + PLAYER_MS; !isStopping && performance.now() < endsAt;) {
      if ((await saver.write()) !== undefined) report.acknowledged++
      await pause(pauseMs)
    }
    await saver.compare()
    report.lost.push(...saver.lost)
  }
  const playing = Array.from({ length: players }, async () => {
    while (!isStopping) await play()
  })

  return {
    report,
    /** Every player reads its save once more. */
    async stop() {
      isStopping = true
      await Promise.all(playing)
      return report
    },
  }
}

/**
 * One save of a player, whose acknowledged version is known. After a write without a clear answer the save is read: it must be the
 * acknowledged one, or one that was sent after it.
 */
export function createSaver(send: Send, token: string, key = 'slot') {
  const path = `/v1/saves/${key}`
  const lost: string[] = []
  let acknowledged = { version: 0, n: 0 }
  let [sent, isClear] = [0, true]
  let last: Promise<unknown> = Promise.resolve()

  async function writeNext(): Promise<number | undefined> {
    if (!isClear) await compare()
    const body = { data: { n: ++sent, text: TEXT }, ifVersion: acknowledged.version }
    const answer = await send('PUT', path, { token, body })
    isClear = answer.status === 200
    if (!isClear) return undefined
    acknowledged = { version: Number(answer.body.version), n: body.data.n }
    return acknowledged.version
  }

  /** Adds a line to `lost` if the acknowledged save is missing. */
  async function compare() {
    const stored = await read()
    if (!stored) return void lost.push(`${path}: no answer, ${acknowledged.n} acknowledged`)
    if (stored.n < acknowledged.n || stored.n > sent)
      lost.push(`${path}: ${stored.n} stored, ${acknowledged.n} acknowledged, ${sent} sent`)
    acknowledged = stored
    isClear = true
  }

  async function read(): Promise<{ version: number; n: number } | undefined> {
    for (const endsAt = performance.now() + READ_MAX_MS; performance.now() < endsAt;) {
      const { status, body } = await send('GET', path, { token })
      if (status === 200) return { version: Number(body.version), n: Number(body.data.n) }
      if (status === 404) return { version: 0, n: 0 }
      await pause(RETRY_MS)
    }
    return undefined
  }

  return {
    lost,
    compare,
    /** Waits for the write before. Returns the new version, or undefined without a clear answer. */
    write(): Promise<number | undefined> {
      const written = last.then(writeNext)
      last = written
      return written
    },
  }
}

/** Sends one request; the agent decides whether connections are kept, as a browser or a proxy does. */
export function sendTo(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  { key, token, body }: Options = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const headers = {
    ...(key !== undefined && { 'x-svc-key': key }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
  }
  const options = { agent, port, host: '127.0.0.1', method, path, headers, timeout: ANSWER_MAX_MS }
  const sent = request(options, (response) => {
    let received = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => (received += chunk))
    response.on('error', reject)
    response.on('end', () => {
      const status = response.statusCode ?? 0
      try {
        resolve({ status, body: JSON.parse(received) })
      } catch {
        resolve({ status, body: received })
      }
    })
  })
  sent.on('timeout', () => sent.destroy(new Error(`no answer in ${ANSWER_MAX_MS} ms`)))
  sent.on('error', reject)
  sent.end(body && JSON.stringify(body))
  return promise
}
