import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { openBidi } from './bidi.ts'
import type { Page } from './browser.ts'
import { pauseMs, WAIT_MAX_MS } from './in-time.ts'

const START_TIMEOUT_MS = 60_000

/** A microphone that plays a tone and asks nobody. Everything else is as Firefox comes. */
const PREFERENCES = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
}

export type Firefox = Awaited<ReturnType<typeof startFirefox>>
/** A page of Firefox; an expression that is read is one expression, which may be a promise. */
export type FirefoxPage = Pick<
  Page,
  'open' | 'read' | 'until' | 'press' | 'text' | 'screenshot' | 'problems' | 'close'
>

/** The Firefox of this machine with a fresh profile, driven with WebDriver BiDi. */
export async function startFirefox() {
  const [program] = findOrInstall('firefox')
  const profile = await mkdtemp(join(tmpdir(), 'svc-firefox-'))
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${value});\n`)
  await writeFile(join(profile, 'user.js'), lines.join(''))
  const child = spawn(
    program,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    // Its own home: Firefox writes caches and settings there.
    {
      env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const kill = () => void child.kill('SIGKILL')
  process.on('exit', kill)
  const bidi = await openBidi(`${await addressOf(child.stderr)}/session`)
  await bidi.send('session.new', { capabilities: {} })
  await bidi.send('session.subscribe', { events: ['log.entryAdded', 'network.responseCompleted'] })

  return {
    /** A new page with no cookies and no history. */
    async newPage({ width = 390, height = 844, script = '' } = {}): Promise<FirefoxPage> {
      const { userContext } = await bidi.send('browser.createUserContext', {})
      const { context } = await bidi.send('browsingContext.create', { type: 'tab', userContext })
      await bidi.send('browsingContext.setViewport', { context, viewport: { width, height } })
      if (script !== '')
        await bidi.send('script.addPreloadScript', {
          functionDeclaration: `() => { ${script} }`,
          contexts: [context],
        })
      return pageOn(bidi, String(context), String(userContext))
    },

    async close() {
      const exited = once(child, 'exit')
      await bidi.send('browser.close', {}).catch(kill)
      const timer = setTimeout(kill, WAIT_MAX_MS)
      await exited
      clearTimeout(timer)
      bidi.close()
      process.off('exit', kill)
      await rm(profile, { recursive: true, force: true })
    },
  }
}

/** Firefox writes it as soon as it listens. */
async function addressOf(stderr: NodeJS.ReadableStream): Promise<string> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS)
  const lines: string[] = []
  for await (const line of createInterface({ input: stderr, signal })) {
    const address = /^WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1]
    if (address !== undefined) {
      stderr.resume()
      return address
    }
    lines.push(line)
  }
  throw new Error(`Firefox did not start: ${lines.join('\n')}`)
}

function pageOn(
  bidi: Awaited<ReturnType<typeof openBidi>>,
  context: string,
  userContext: string,
): FirefoxPage {
  async function read(expression: string): Promise<unknown> {
    const { type, result, exceptionDetails } = await bidi.send('script.evaluate', {
      expression: `(async () => JSON.stringify(await (${expression})))()`,
      target: { context },
      awaitPromise: true,
      userActivation: false,
    })
    if (type === 'exception') throw new Error((exceptionDetails as { text: string }).text)
    const { value } = result as { value?: string }
    return value === undefined ? undefined : JSON.parse(value)
  }
  const text = async () => String(await read('document.body.innerText'))
  async function until(expression: string) {
    const deadline = performance.now() + WAIT_MAX_MS
    for (let looks = 1; performance.now() < deadline; looks++) {
      // A page that is loading another document cannot be read at that moment.
      if (await read(`Boolean(${expression})`).catch(() => false)) return
      await pause(pauseMs(looks))
    }
    throw new Error(`${expression} never came true; the page says: ${await text()}`)
  }

  return {
    open: async (url) =>
      void (await bidi.send('browsingContext.navigate', { context, url, wait: 'complete' })),
    read,
    until,
    text,
    async press(selector) {
      const element = `document.querySelector(${JSON.stringify(selector)})`
      await until(element)
      await read(`void ${element}.scrollIntoView({ block: 'center', behavior: 'instant' })`)
      const [x, y] = (await read(
        `(({ x, y, width, height }) => [x + width / 2, y + height / 2].map(Math.floor))(${element}.getBoundingClientRect())`,
      )) as [number, number]
      const actions = [
        { type: 'pointerMove', x, y },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      await bidi.send('input.performActions', {
        context,
        actions: [{ type: 'pointer', id: 'mouse', actions }],
      })
    },
    async screenshot() {
      const { data } = await bidi.send('browsingContext.captureScreenshot', { context })
      return Buffer.from(String(data), 'base64')
    },
    problems() {
      const problems: string[] = []
      bidi.on('log.entryAdded', (entry) => {
        const { level, text, source } = entry as { level: string; text: string; source: { context?: string } }
        if (level === 'error' && source.context === context) problems.push(text)
      })
      bidi.on('network.responseCompleted', (event) => {
        const { context: where, response } = event as {
          context: string | null
          response: { status: number; url: string }
        }
        if (where === context && response.status >= 400) problems.push(`${response.status} ${response.url}`)
      })
      return problems
    },
    close: async () => void (await bidi.send('browser.removeUserContext', { userContext })),
  }
}
