import type { Page } from '../../server/src/testing/browser.ts'

export type Game = Awaited<ReturnType<typeof openGame>>

const $ = (id: string) => `document.getElementById('${id}')`
export const IS_READY = `!${$('find')}.disabled && ${$('find')}.textContent === 'Find a rival'`
export const IS_PLAYING = `!${$('star')}.hidden`
export const HAS_RESULT = `!${$('rematch')}.hidden && /\\d : \\d/.test(${$('status')}.textContent)`

/** Star Duel in a separate browser, used as a player does. */
export async function openGame(page: Page, address: string, seconds: number, more = '') {
  const load = (roundSeconds = seconds) => page.open(`${address}/?seconds=${roundSeconds}${more}`)
  await load()
  await page.until(IS_READY)

  return {
    page,
    load,
    until: page.until,
    untilStatus: (text: string) => page.until(`${$('status')}.textContent.includes(${JSON.stringify(text)})`),
    untilScores: (mine: number, theirs: number) =>
      page.until(`${$('mine')}.value === '${mine}' && ${$('theirs')}.value === '${theirs}'`),
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

    /** Signs in at the built-in test provider with its first account. */
    async signIn() {
      await page.press('#sign-in')
      const popup = await page.popup()
      await popup.until(`document.querySelector('button')`)
      await popup.press('button')
      await page.until(`${$('sign-in')}.hidden`)
    },
  }
}
