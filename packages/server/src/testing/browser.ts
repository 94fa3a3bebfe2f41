import { setTimeout as pause } from 'node:timers/promises'

import { chromium, type Page as ChromiumPage } from 'playwright-core'

import { findOrInstall } from '../../../../scripts/programs.ts'

const STEP_TIMEOUT_MS = 20_000
const UNTIL_TIMEOUT_MS = 60_000
const POLL_INTERVAL_MS = 20

export type Browser = Awaited<ReturnType<typeof startBrowser>>
export type Page = {
  /** Playwright's own page, for what is not here. */
  page: ChromiumPage
  open(url: string): Promise<void>
  /** The value of an expression in the page. */
  read(expression: string): Promise<unknown>
  /** Waits until an expression in the page is true, also if the page goes to another document meanwhile. */
  until(expression: string): Promise<void>
  /** Does something that leads to another document, and waits until it has loaded. */
  loading(act: () => Promise<unknown>): Promise<void>
  text(): Promise<string>
  type(selector: string, text: string): Promise<void>
  /** With the mouse: waits until it is visible, and fails if something covers it. */
  press(selector: string): Promise<void>
  screenshot(): Promise<Buffer>
  /** From now on: errors in the console, uncaught errors, and every response of 400 or more. */
  problems(): string[]
  /** The window that this page opens or has opened. */
  popup(): Promise<Page>
  hasPopup(): boolean
  /** With all its windows. */
  close(): Promise<void>
}

/** A real Chromium, the one that the machine has; `flags` are further ones of its command line. */
export async function startBrowser({ flags = [] }: { flags?: string[] } = {}) {
  const [executablePath] = findOrInstall('chromium')
  const browser = await chromium.launch({ executablePath, args: ['--disable-gpu', ...flags] })

  return {
    /** A new page with no cookies and no history; `proxy` gets every request, also those to this machine. Chromium's own user agent names a machine. */
    async newPage({
      width = 390,
      height = 844,
      dark = false,
      scripts = true,
      language = 'en',
      proxy = '',
      userAgent = '',
    } = {}): Promise<Page> {
      const context = await browser.newContext({
        viewport: { width, height },
        isMobile: width < 600,
        colorScheme: dark ? 'dark' : 'light',
        javaScriptEnabled: scripts,
        locale: language,
        ...(proxy && { proxy: { server: proxy } }),
        ...(userAgent && { userAgent }),
      })
      context.setDefaultTimeout(STEP_TIMEOUT_MS)
      return pageOn(await context.newPage())
    },

    close: () => browser.close(),
  }
}

function pageOn(page: ChromiumPage): Page {
  // With a semicolon before it also a declaration of a function is run as it stands.
  const read = (expression: string): Promise<unknown> => page.evaluate(`;${expression}`)
  const text = async () => String(await read('document.body.innerText'))
  const popups: ChromiumPage[] = []
  page.on('popup', (popup) => popups.push(popup))
  const openPopup = () => popups.find((popup) => !popup.isClosed())

  return {
    page,
    open: async (url) => void (await page.goto(url)),
    read,
    // Asked from outside: Playwright's own waiting evaluates text in the page, which the policies of our pages forbid.
    async until(expression) {
      for (const deadline = performance.now() + UNTIL_TIMEOUT_MS; performance.now() < deadline;) {
        // A page on its way to another document cannot be read just then.
        if (await read(`Boolean(${expression})`).catch(() => false)) return
        await pause(POLL_INTERVAL_MS)
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
