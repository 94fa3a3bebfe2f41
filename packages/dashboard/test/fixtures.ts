import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { MemberRole } from '@svc/contract/developers/members'
import type { BrowserContext, Page } from 'playwright-core'

import { findOrInstall } from '../../../scripts/programs.ts'
import { type Browser, startBrowser } from '../../server/src/testing/browser.ts'
import { newMember } from '../../server/src/testing/members.ts'
import { type Service, startService, type TestEnvironment } from '../../server/src/testing/service.ts'
import { freePort } from '../../server/test/server-process.ts'

export const PASSWORD = 'correct horse'
export const CONFIG = {
  version: 1,
  features: {
    saves: true,
    stats: true,
    multiplayer: true,
    hosting: true,
    emailLogin: true,
    realtimeChannels: true,
  },
  stats: [{ key: 'points', aggregation: 'max', maxPerSubmit: 500 }, { key: 'wins' }],
  multiplayer: { modes: [{ key: 'duel', minPlayers: 2, maxPlayers: 2 }] },
}

/** Console messages that no page of the dashboard may cause. */
export type Complaints = string[]
export type OpenPage = { page: Page; complaints: Complaints }
export type Dashboard = Awaited<ReturnType<typeof startDashboard>>

type PageOptions = { width?: number; height?: number; dark?: boolean; token?: string; bypassCSP?: boolean }

/** A whole service on a real port and a real Chromium. */
export async function startDashboard(settings: Record<string, string> = {}, givenPort?: number) {
  const port = givenPort ?? (await freePort())
  const baseUrl = `http://localhost:${port}`
  findOrInstall('bubblewrap')
  const functions = await mkdtemp(join(tmpdir(), 'svc-functions-'))
  // The account of the sandbox must be able to enter it.
  await chmod(functions, 0o711)
  const all = {
    FUNCTIONS_DIR: functions,
    SVC_NODE_URL: 'http://127.0.0.1:1',
    SVC_RATE_LIMITS: 'off',
    SVC_BASE_URL: baseUrl,
    SVC_BILLING: 'on',
    SVC_SIGN_UP: 'first',
    ...settings,
  }
  let owners = 0
  const opened: BrowserContext[] = []
  let service: Service = await startService('sqlite', { settings: all })
  await service.http.listen({ port, host: 'localhost' })
  const browser: Browser = await startBrowser()
  const anyPage = await browser.newPage()
  const chromium = anyPage.page.context().browser()
  if (!chromium) throw new Error('the page has no browser')

  /** A developer with an account of their own. */
  async function newDeveloper(email: string) {
    const { link } = await service.signUp.invite(email)
    const invitation = new URLSearchParams(new URL(link).hash.slice(1)).get('invitation')
    const { body } = await service.call('POST', '/v1/developers/signup', {
      email,
      password: PASSWORD,
      invitation,
    })
    const [id, token] = [String(body.developer.id), String(body.token)]
    return { id, email, token, call: service.withToken(token) }
  }

  return {
    newDeveloper,
    get service() {
      return service
    },
    baseUrl,
    newContext: chromium.newContext.bind(chromium),

    /** A page with its own storage, as a person with this token. */
    async open(
      path: string,
      { width = 1440, height = 900, dark = false, token, bypassCSP = false }: PageOptions = {},
    ) {
      const context = await chromium.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        locale: 'en-GB',
        reducedMotion: 'reduce',
        bypassCSP,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      opened.push(context)
      context.setDefaultTimeout(20_000)
      const page = await context.newPage()
      const complaints = collectComplaints(page)
      if (token !== undefined)
        await page.addInitScript((value) => {
          // The script also runs in frames, which have no storage.
          if (self !== top || sessionStorage.getItem('test.signed-in')) return
          sessionStorage.setItem('test.signed-in', 'yes')
          localStorage.setItem('svc.developer', value)
          localStorage.setItem('svc.developer.since', String(Date.now()))
        }, token)
      await page.goto(baseUrl + path)
      return { page, complaints } satisfies OpenPage
    },

    /** After each test: an open page goes on asking the service, and is drawn again for every answer. */
    async closePages() {
      for (const context of opened.splice(0)) await context.close()
    },

    /** A project with a config and its owner. */
    async newProject(name: string) {
      const project = await service.newProject(await newDeveloper(`owner${++owners}@example.com`), name)
      await project.development.server('PUT', '/v1/config', CONFIG)
      return { ...project, token: project.developer.token }
    },

    /** A new member of the project. */
    addMember({ id, token }: { id: string; token: string }, role: MemberRole, email = `${role}@example.com`) {
      const project = { id, developer: { call: service.withToken(token) } }
      return newMember({ newDeveloper: () => newDeveloper(email) }, project, role)
    },

    /** Ends all connections; `meanwhile` runs while nothing answers. */
    async restart(meanwhile: () => Promise<void>) {
      const before = service
      await before.close()
      await meanwhile()
      service = await startService('sqlite', { settings: all, clusterOf: before })
      await service.http.listen({ port, host: 'localhost' })
    },

    async stop() {
      await browser.close()
      await service.stop()
      await rm(functions, { recursive: true, force: true })
    },
  }
}

/** Errors of the console, which include violations of the policy, and errors that nobody caught. */
function collectComplaints(page: Page): Complaints {
  const complaints: Complaints = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.stack ?? String(error)))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog of the browser: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return complaints
}

/** The script and the data of the page have arrived. The network is never idle: a stream of changes is open. */
export const isLoaded = (page: Page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    do {
      await frame()
      await frame()
    } while (document.querySelector('.skeleton, [aria-busy=true]'))
  })

/** Refusals of calls are written to the console by the browser itself. */
export const unexpected = (complaints: Complaints): string[] =>
  complaints.filter((text) => !/Failed to load resource/.test(text))

export async function newGuest(environment: TestEnvironment, displayName: string) {
  const { body } = await environment.public('POST', '/v1/auth/guest', { displayName })
  return {
    id: String(body.player.id),
    accessToken: String(body.accessToken),
    refreshToken: String(body.refreshToken),
  }
}

export const report = (
  environment: TestEnvironment,
  { accessToken }: { accessToken: string },
  stats: Record<string, number>,
) => environment.public('POST', '/v1/stats', { stats }, { authorization: `Bearer ${accessToken}` })

/** A banned player who has appealed. */
export async function newAppeal(environment: TestEnvironment, displayName: string, message: string) {
  const player = await newGuest(environment, displayName)
  await environment.server('POST', `/v1/admin/players/${player.id}/ban`, { reason: 'Impossible scores' })
  await environment.public('POST', '/v1/auth/appeal', { refreshToken: player.refreshToken, message })
  return player
}

export async function until(holds: () => Promise<boolean>, what: string) {
  const deadline = performance.now() + 20_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen`)
    await pause(50)
  }
}
