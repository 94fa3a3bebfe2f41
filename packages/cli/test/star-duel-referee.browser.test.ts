import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseEnv } from 'node:util'

import { type Browser, startBrowser } from '../../server/src/testing/browser.ts'
import { type TestSetup, startFunctionsSetup } from './cli.ts'
import { HAS_RESULT, IS_PLAYING, openGame } from './star-duel.ts'

let setup: TestSetup
let browser: Browser
let folder: string
let address: string
before(async () => {
  setup = await startFunctionsSetup()
  browser = await startBrowser()
  await setup.json(['new', 'star-duel', '--template', 'duel', '--no-install'])
  folder = join(setup.root, 'star-duel')
  address = (await setup.json(['deploy', 'public'], { folder })).url
  await setup.json(['functions', 'deploy', 'referee'], { folder })
  await setup.json(['functions', 'db', 'migrate', 'DB', 'referee/migrations'], { folder })
})
after(async () => {
  await browser?.close()
  await setup?.stop()
})

const query = async (sql: string) =>
  (await setup.json(['functions', 'db', 'query', 'DB', sql], { folder })).results

test('[FUN-05] [FUN-13] the referee stores results, refuses impossible ones, and sets the challenge of the day', async () => {
  await query(`insert into challenges values (date('now'), 1)`)
  const page = await browser.newPage()
  const problems = page.problems()
  const ada = await openGame(page, address, 3, '&referee')
  const bob = await openGame(await browser.newPage(), address, 3, '&referee')
  for (const game of [ada, bob]) await game.findRival()
  for (const game of [ada, bob]) await game.until(IS_PLAYING)
  await ada.catchStars(2)
  await ada.until(HAS_RESULT)
  await ada.untilStatus('You beat the challenge of the day: 1 stars!')
  await bob.untilStatus('The challenge of the day: 1 stars.')
  assert.deepEqual(problems, [])
  const playerId = await ada.playerId()
  assert.deepEqual(await query('select player, points from results where points > 0'), [
    { player: playerId, points: 2 },
  ])

  const forged = await page.read(`(async () => {
    const { token } = { token: JSON.parse(localStorage.getItem('svc.session')).accessToken }
    const send = (points, headers) => fetch('/.fn/result', { method: 'POST', headers, body: JSON.stringify({ points, seconds: 20 }) })
    const answers = [await send(81, { authorization: 'Bearer ' + token }), await send(5, { 'svc-player-id': '${playerId}' })]
    return JSON.stringify(answers.map(({ status }) => status))
  })()`)
  assert.deepEqual(JSON.parse(String(forged)), [422, 401])

  await query(`update results set day = date('now', '-1 day')`)
  assert.deepEqual(await runCron(), { outcome: 'ok' })
  assert.deepEqual(await query(`select points from challenges where day = date('now')`), [{ points: 2 }])
})

async function runCron() {
  const { SVC_DEVELOPMENT_SECRET_KEY: key = '' } = parseEnv(await readFile(join(folder, '.env'), 'utf8'))
  const answer = await fetch(`http://127.0.0.1:${setup.port}/v1/admin/functions/crons/run`, {
    method: 'POST',
    headers: { 'x-svc-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ cron: '0 0 * * *' }),
  })
  const { outcome } = (await answer.json()) as { outcome: string }
  return { outcome }
}
