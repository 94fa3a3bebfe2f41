import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from '../../../../scripts/free-port.ts'
import { findOrInstall } from '../../../../scripts/programs.ts'
import type { Page } from './browser.ts'
import { comesTrue, WAIT_MAX_MS } from './in-time.ts'

export type WebKit = Awaited<ReturnType<typeof startWebKit>>
/** A page of WebKit; an expression that is read is one expression, which may be a promise. */
export type WebKitPage = Pick<Page, 'open' | 'read' | 'close'>

/** WebKitGTK's MiniBrowser, the engine of Safari on Linux, driven with WebDriver. It has no mode without windows: they are on a display of Xvfb. */
export async function startWebKit() {
  const [driver, xvfb] = findOrInstall('webkit', 'xvfb')
  // Its own home: WebKit writes caches and settings there.
  const home = await mkdtemp(join(tmpdir(), 'svc-webkit-'))
  const screen = spawn(xvfb, ['-displayfd', '1', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [display] = (await once(screen.stdout, 'data', { signal: AbortSignal.timeout(WAIT_MAX_MS) })) as [
    Buffer,
  ]
  const port = await freePort()
  const child = spawn(driver, [`--port=${port}`], {
    env: { ...process.env, HOME: home, DISPLAY: `:${display.toString().trim()}` },
    stdio: 'ignore',
  })
  const kill = () => [child, screen].forEach((each) => each.kill('SIGKILL'))
  process.on('exit', kill)

  async function send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(WAIT_MAX_MS),
    })
    const { value } = (await response.json()) as { value: { error?: string; message?: string } }
    if (response.ok) return value
    throw new Error(`${path}: ${value.error} ${value.message}`)
  }
  const isListening = () =>
    fetch(`http://127.0.0.1:${port}/status`).then(
      ({ ok }) => ok,
      () => false,
    )
  await comesTrue('the WebDriver of WebKit', isListening)

  return {
    /** A page with no cookies and no history. The driver allows one at a time. */
    async newPage(): Promise<WebKitPage> {
      const { sessionId } = (await send('POST', '', { capabilities: {} })) as { sessionId: string }
      const session = `/${sessionId}`
      return {
        open: async (url) => void (await send('POST', `${session}/url`, { url })),
        async read(expression) {
          const script = `const [done] = arguments
            Promise.resolve().then(() => (${expression})).then(
              (value) => done(JSON.stringify({ value })), (error) => done(JSON.stringify({ error: String(error) })))`
          const result = await send('POST', `${session}/execute/async`, { script, args: [] })
          const { value, error } = JSON.parse(String(result)) as { value?: unknown; error?: string }
          if (error !== undefined) throw new Error(error)
          return value
        },
        close: async () => void (await send('DELETE', session)),
      }
    },

    async close() {
      const exited = Promise.all([child, screen].map((each) => once(each, 'exit')))
      kill()
      await exited
      process.off('exit', kill)
      await rm(home, { recursive: true, force: true })
    },
  }
}
