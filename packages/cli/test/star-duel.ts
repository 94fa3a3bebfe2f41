import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

import type { Browser } from '../../server/src/testing/browser.ts'

export type Page = Awaited<ReturnType<Browser['newPage']>>
export type Game = Awaited<ReturnType<typeof openGame>>

const LOOKS_MAX = 600
const LOOK_EVERY_MS = 100

const $ = (id: string) => `document.getElementById('${id}')`
export const IS_READY = `!${$('find')}.disabled && ${$('find')}.textContent === 'Find a rival'`
export const IS_PLAYING = `!${$('star')}.hidden`
export const HAS_RESULT = `!${$('rematch')}.hidden && /\\d : \\d/.test(${$('status')}.textContent)`

/** Pages do not say when they have changed. */
async function until(page: Page, condition: string) {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    // A page that is on its way to another document cannot be read just then.
    if (await page.read(`Boolean(${condition})`).catch(() => false)) return
    await pause(LOOK_EVERY_MS)
  }
  assert.fail(`${condition} never came true; the page says: ${await page.text()}`)
}

/** Star Duel in a browser of its own, as its player sees and uses it. */
export async function openGame(page: Page, address: string, seconds: number) {
  const load = (roundSeconds = seconds) => page.open(`${address}/?seconds=${roundSeconds}`)
  await load()
  await until(page, IS_READY)

  return {
    page,
    load,
    until: (condition: string) => until(page, condition),
    untilStatus: (text: string) =>
      until(page, `${$('status')}.textContent.includes(${JSON.stringify(text)})`),
    untilScores: (mine: number, theirs: number) =>
      until(page, `${$('mine')}.value === '${mine}' && ${$('theirs')}.value === '${theirs}'`),
    text: async (id: string) => String(await page.read(`${$(id)}.textContent`)),
    async playerId(): Promise<string> {
      const session = String(await page.read(`localStorage.getItem('svc.session')`))
      return JSON.parse(session).player.id
    },
    findRival: () => page.press('#find'),
    rematch: () => page.press('#rematch'),
    async catchStars(count: number) {
      for (let stars = 0; stars < count; stars++) await page.press('#star')
    },

    /** At the built-in test provider, as the person on its first button. */
    async signIn() {
      await page.press('#sign-in')
      let popup = await page.popup()
      for (let looks = 0; !popup && looks < LOOKS_MAX; looks++) {
        await pause(LOOK_EVERY_MS)
        popup = await page.popup()
      }
      assert.ok(popup, 'no window for the sign-in')
      await until(popup, `document.querySelector('button')`)
      await popup.press('button')
      await until(page, `${$('sign-in')}.hidden`)
    },
  }
}
