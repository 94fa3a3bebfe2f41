import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { findOrInstall } from '../../../../scripts/programs.ts'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-port=0',
]
const STEP_TIMEOUT_MS = 20_000

export type Browser = Awaited<ReturnType<typeof startBrowser>>
type Params = Record<string, unknown>

type Page = {
  /** Of the DevTools protocol. */
  command(method: string, params?: Params): Promise<Params>
  open(url: string): Promise<void>
  /** The value of an expression in the page. */
  read(expression: string): Promise<unknown>
  /** Does something that leads to another document, and waits until it is there. */
  loading(act: () => Promise<unknown>): Promise<void>
  text(): Promise<string>
  type(selector: string, text: string): Promise<void>
  /** With the mouse, where it is: what is hidden or covered cannot be pressed. */
  press(selector: string): Promise<void>
  screenshot(): Promise<Buffer>
  /** From now on: what the console shows in red, and every response of 400 or more. */
  problems(): Promise<string[]>
  /** The window that this page has opened. */
  popup(): Promise<Page | undefined>
  close(): Promise<Params>
}

/** A real Chromium, driven over its DevTools protocol: no more of it than a test of a page needs. */
export async function startBrowser() {
  const [program] = findOrInstall('chromium')
  const folder = await mkdtemp(join(tmpdir(), 'svc-browser-'))
  const chromium = spawn(program, [...FLAGS, `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(chromium, 'exit')
  const socket = new WebSocket(await inTime('start of Chromium', addressOf(chromium.stderr)))
  await inTime('connection to Chromium', once(socket, 'open'))

  const answers = new Map<number, { resolve(result: Params): void; reject(error: Error): void }>()
  const listeners = new Set<(event: { method: string; sessionId?: string; params: Params }) => void>()
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data))
    if (message.id === undefined) return listeners.forEach((listener) => listener(message))
    const { resolve, reject } = answers.get(message.id) ?? {}
    answers.delete(message.id)
    if (message.error) reject?.(new Error(message.error.message))
    else resolve?.(message.result)
  })

  let count = 0
  function send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
    const id = ++count
    const answer = new Promise<Params>((resolve, reject) => answers.set(id, { resolve, reject }))
    socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }))
    return inTime(method, answer)
  }

  /** What a test does with one page, once it is attached to it. */
  function pageOn(sessionId: string, targetId: string, browserContextId: unknown): Page {
    const page = (method: string, params?: Params) => send(method, params, sessionId)

    async function loading(act: () => Promise<unknown>) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const listener = (event: { method: string; sessionId?: string }) => {
        if (event.sessionId === sessionId && event.method === 'Page.loadEventFired') resolve()
      }
      listeners.add(listener)
      await act()
      await inTime('loading of a page', promise).finally(() => listeners.delete(listener))
    }

    async function read(expression: string): Promise<unknown> {
      const evaluated = await page('Runtime.evaluate', {
        expression,
        returnByValue: true,
        awaitPromise: true,
      })
      if (evaluated['exceptionDetails']) throw new Error(JSON.stringify(evaluated['exceptionDetails']))
      return (evaluated['result'] as Params)['value']
    }

    return {
      command: page,
      open: (url: string) => loading(() => page('Page.navigate', { url })),
      read,
      loading,
      text: async () => String(await read('document.body.innerText')),
      type: async (selector: string, text: string) => {
        await read(`document.querySelector(${JSON.stringify(selector)}).focus()`)
        await page('Input.insertText', { text })
      },
      async press(selector: string) {
        const [x, y] = (await read(
          `(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
        )) as [number, number]
        for (const type of ['mousePressed', 'mouseReleased'])
          await page('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 })
      },
      async screenshot(): Promise<Buffer> {
        const { data } = await page('Page.captureScreenshot', { format: 'png' })
        return Buffer.from(String(data), 'base64')
      },
      async problems() {
        const seen: string[] = []
        listeners.add(({ method, sessionId: of, params }) => {
          const problem = of === sessionId && problemIn(method, params)
          if (problem) seen.push(problem)
        })
        for (const part of ['Log', 'Runtime', 'Network']) await page(`${part}.enable`)
        return seen
      },
      async popup() {
        const { targetInfos } = await send('Target.getTargets')
        const opened = (targetInfos as Params[]).find(({ openerId }) => openerId === targetId)
        return opened && attach(String(opened['targetId']), browserContextId)
      },
      close: () => send('Target.disposeBrowserContext', { browserContextId }),
    }
  }

  async function attach(targetId: string, browserContextId: unknown): Promise<Page> {
    const attached = await send('Target.attachToTarget', { targetId, flatten: true })
    const sessionId = String(attached['sessionId'])
    await send('Page.enable', {}, sessionId)
    return pageOn(sessionId, targetId, browserContextId)
  }

  return {
    /** A new page in a browser of its own: no cookies, no history; `proxy` is all of its network, this machine included. */
    async newPage({
      width = 390,
      height = 844,
      dark = false,
      scripts = true,
      language = 'en',
      proxy = '',
    } = {}) {
      const network = proxy ? { proxyServer: proxy, proxyBypassList: '<-loopback>' } : {}
      const { browserContextId } = await send('Target.createBrowserContext', network)
      const { targetId } = await send('Target.createTarget', { url: 'about:blank', browserContextId })
      const page = await attach(String(targetId), browserContextId)
      const { command } = page
      await command('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: width < 600,
      })
      await command('Emulation.setEmulatedMedia', {
        features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
      })
      await command('Emulation.setScriptExecutionDisabled', { value: !scripts })
      const { userAgent } = await send('Browser.getVersion')
      await command('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: language })
      return page
    },

    async close() {
      socket.close()
      chromium.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/** Of an event of the DevTools protocol. */
function problemIn(method: string, params: Params): string | undefined {
  const { entry, response, exceptionDetails, type, args } = params as {
    entry?: { level: string; text: string; url?: string }
    response?: { status: number; url: string }
    exceptionDetails?: { text: string; exception?: { description?: string } }
    type?: string
    args?: { value?: unknown; description?: string }[]
  }
  if (method === 'Log.entryAdded' && entry?.level === 'error') return `${entry.text} ${entry.url ?? ''}`
  if (method === 'Network.responseReceived' && response && response.status >= 400)
    return `${response.status} ${response.url}`
  if (method === 'Runtime.exceptionThrown')
    return exceptionDetails?.exception?.description ?? exceptionDetails?.text
  if (method === 'Runtime.consoleAPICalled' && type === 'error')
    return (args ?? []).map(({ value, description }) => description ?? JSON.stringify(value)).join(' ')
  return undefined
}

/** It says where it listens, among other things. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, address] = /^DevTools listening on (ws:\S+)/.exec(line) ?? []
    if (address === undefined) continue
    output.resume()
    return address
  }
  throw new Error('Chromium ended before it listened')
}

async function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`${what} took longer than ${STEP_TIMEOUT_MS} ms`)),
    STEP_TIMEOUT_MS,
  )
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
