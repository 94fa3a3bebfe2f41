import { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { chromium, type Browser as Chromium, type Page as ChromiumPage } from 'playwright-core'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { pauseMs, WAIT_MAX_MS } from './in-time.ts'

export type Browser = Awaited<ReturnType<typeof startBrowser>>
export type Page = {
  /** Playwright's page, for everything that this type does not have. */
  page: ChromiumPage
  open(url: string): Promise<void>
  /** The value of an expression in the page. */
  read(expression: string): Promise<unknown>
  /** Waits until an expression in the page is true, also if the page loads another document in the meantime. */
  until(expression: string): Promise<void>
  /** Runs an action that loads another document, and waits until it has loaded. */
  loading(act: () => Promise<unknown>): Promise<void>
  text(): Promise<string>
  type(selector: string, text: string): Promise<void>
  /** Clicks with the mouse: waits until the element is visible, and fails if another element covers it. */
  press(selector: string): Promise<void>
  screenshot(): Promise<Buffer>
  /** Collects from now on: errors in the console, uncaught errors, and every response of 400 or more. */
  problems(): string[]
  /** The window that this page opens or has opened. */
  popup(): Promise<Page>
  hasPopup(): boolean
  /** Closes the page with all its windows. */
  close(): Promise<void>
}

function launch(flags: readonly string[] = []): Promise<Chromium> {
  const [executablePath] = findOrInstall('chromium')
  return chromium.launch({ executablePath, args: ['--disable-gpu', ...flags] })
}

const isTest = process.env['NODE_TEST_CONTEXT'] !== undefined
/**
 * The files of a test process, which run one after the other, share a browser: its start takes a second of CPU time. Their pages share
 * nothing, and are closed at the end of the file.
 */
let shared: Promise<Chromium> | undefined
if (isTest)
  after(async () => {
    const browser = await shared
    shared = undefined
    await browser?.close()
  })

/** The Chromium of this machine; `flags` are added to its command line. */
export async function startBrowser({ flags = [] }: { flags?: string[] } = {}) {
  const isShared = isTest && flags.length === 0
  const browser = await (isShared ? (shared ??= launch()) : launch(flags))

  return {
    /**
     * A new page with no cookies and no history; `proxy` gets every request, also those to this machine. Set `userAgent` if the service
     * must not treat the browser as a program: Chromium's own contains "Headless".
     */
    async newPage({
      width = 390,
      height = 844,
      dark = false,
      scripts = true,
      touch = false,
      language = 'en',
      proxy = '',
      userAgent = '',
    } = {}): Promise<Page> {
      const context = await browser.newContext({
        viewport: { width, height },
        isMobile: width < 600,
        hasTouch: touch,
        colorScheme: dark ? 'dark' : 'light',
        javaScriptEnabled: scripts,
        locale: language,
        // Animations are drawn by the processor, up to 60 times a second on each page.
        reducedMotion: 'reduce',
        ...(proxy && { proxy: { server: proxy } }),
        ...(userAgent && { userAgent }),
      })
      context.setDefaultTimeout(WAIT_MAX_MS)
      return pageOn(await context.newPage())
    },

    async close() {
      for (const context of browser.contexts()) await context.close()
      if (!isShared) await browser.close()
    },
  }
}

function pageOn(page: ChromiumPage): Page {
  // With a semicolon before it, a function declaration is also evaluated as a statement.
  const read = (expression: string): Promise<unknown> => page.evaluate(`;${expression}`)
  const text = async () => String(await read('document.body.innerText'))
  const popups: ChromiumPage[] = []
  page.on('popup', (popup) => popups.push(popup))
  const openPopup = () => popups.find((popup) => !popup.isClosed())

  return {
    page,
    open: async (url) => void (await page.goto(url)),
    read,
    // Polled from outside: Playwright's own wait evaluates text in the page, which the policies of our pages forbid.
    async until(expression) {
      const deadline = performance.now() + WAIT_MAX_MS
      for (let looks = 1; performance.now() < deadline; looks++) {
        // A page that is loading another document cannot be read at that moment.
        if (await read(`Boolean(${expression})`).catch(() => false)) return
        await pause(pauseMs(looks))
      }
      throw new Error(`${expression} never came true; the page says: ${await text()}`)
    },
    loading: async (act) => void (await Promise.all([page.waitForEvent('load'), act()])),
    text,
    async type(selector, typed) {
      await page.focus(selector)
      await page.keyboard.insertText(typed)
    },
    press: (selector) => page.click(selector),
    screenshot: () => page.screenshot(),
    problems() {
      const problems: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`)
      })
      page.on('pageerror', (error) => problems.push(error.stack ?? String(error)))
      page.on('response', (response) => {
        if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`)
      })
      return problems
    },
    popup: async () => pageOn(openPopup() ?? (await page.waitForEvent('popup'))),
    hasPopup: () => openPopup() !== undefined,
    close: () => page.context().close(),
  }
}
