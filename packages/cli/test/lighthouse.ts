import type { Page } from '../../server/src/testing/browser.ts'

const $ = (id: string) => `document.getElementById('${id}')`
const PRESS = `document.body.dispatchEvent(new KeyboardEvent('keydown', { code: 'Space', bubbles: true }))`

/**
 * Plays in the page like a person with good eyes: presses Space when the moving floor is above the last one, and when it is beside it
 * once the tower has enough floors.
 */
const BUILD = `new Promise((resolve) => requestAnimationFrame(function look() {
  if (!${$('panel')}.hidden) return resolve()
  const [below, moving] = [...document.querySelectorAll('.floor:not(.falling)')].slice(-2)
    .map((floor) => floor.getBoundingClientRect())
  const isAbove = Math.abs(moving.left + moving.right - below.left - below.right) < 8
  const isBeside = moving.right < below.left || moving.left > below.right
  if (Number(${$('score')}.textContent) < floors ? isAbove : isBeside) ${PRESS}
  requestAnimationFrame(look)
}))`

export type Lighthouse = ReturnType<typeof playLighthouse>

/** The example Lighthouse, with or without svc, used as a player does. */
export function playLighthouse(page: Page) {
  return {
    page,
    async build(floors: number) {
      await page.press('#start')
      await page.read(`{ const floors = ${floors}; ${BUILD} }`)
    },
    untilBest: (best: number) => page.until(`${$('best')}.textContent === 'Best ${best}'`),
    untilOnline: () => page.until(`!${$('sign-in')}.hidden`),
    /** The lines of the leaderboard. */
    untilBoard: (...lines: string[]) =>
      page.until(
        `JSON.stringify([...document.querySelectorAll('#places li')].map((line) => line.innerText.replace(/\\s+/g, ' '))) === ${JSON.stringify(JSON.stringify(lines))}`,
      ),
    /** With the dialog: creates an account, or signs in. */
    async signIn(start: 'new account' | 'existing account', email: string) {
      await page.press('#sign-in')
      await page.until(`document.querySelector('dialog input[name=email]')`)
      if (start === 'new account') {
        await page.page.click('text=No account yet? Create one')
        await page.until(`document.querySelector('#svc-rule')`)
      }
      await page.type('dialog input[name=email]', email)
      await page.type('dialog input[name=password]', 'correct horse')
      await page.press('dialog form .svc-submit')
      if (start === 'new account') await page.press('dialog .svc-submit[data-close]')
      await page.until(`!document.querySelector('dialog') && ${$('sign-in')}.hidden`)
    },
  }
}
