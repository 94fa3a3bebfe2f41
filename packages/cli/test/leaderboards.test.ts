import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { startTestSetup, type TestSetup } from './cli.ts'

let setup: TestSetup
let folder: string
let publishable: string
before(async () => {
  setup = await startTestSetup()
  await setup.json(['new', 'game', '--no-install'])
  folder = join(setup.root, 'game')
  const config = {
    features: { stats: true },
    stats: [{ key: 'points', leaderboard: { periods: ['daily', 'allTime'] } }],
  }
  await writeFile(join(folder, 'svc.config.json'), JSON.stringify(config))
  await setup.json(['config', 'push'], { folder })
  const keys = await readFile(join(folder, '.env'), 'utf8')
  publishable = /^SVC_DEVELOPMENT_PUBLISHABLE_KEY=(.*)$/m.exec(keys)?.[1] ?? ''
})
after(() => setup.stop())

async function report(displayName: string, points: number): Promise<string> {
  const { body } = await setup.call('POST', '/v1/auth/guest', { key: publishable, body: { displayName } })
  const token = body.accessToken as string
  await setup.call('POST', '/v1/stats', { key: publishable, token, body: { stats: { points } } })
  return body.player.id as string
}
const svc = (...args: string[]) => setup.svc(['leaderboards', ...args], { folder })

test('[LDB-14] svc leaderboards: list, show, periods, export as CSV, hide, remove, reset', async () => {
  const ada = await report('Ada', 30)
  const eve = await report('=1+1,"Eve"', 40)
  assert.match((await svc()).out, /points\s+desc\s+daily\s+\d{4}-\d\d-\d\d\s+2/)
  const shown = (await svc('show', 'points')).out
  assert.match(shown, new RegExp(`1\\s+${eve}`))
  assert.match(shown, new RegExp(`2\\s+${ada}\\s+Ada\\s+30`))
  assert.match((await svc('periods', 'points')).out, /This leaderboard has no past periods yet/)

  const csv = await svc('export', 'points', '--period', 'allTime', '-o', 'points.csv')
  assert.match(csv.out, /2 entries written to /)
  const [head, first = '', second = ''] = (await readFile(join(folder, 'points.csv'), 'utf8')).split('\r\n')
  assert.equal(head, 'rank,playerId,displayName,value,reachedAt')
  assert.ok(first.startsWith(`1,${eve},"'=1+1,""Eve""",40,`), first)
  assert.ok(second.startsWith(`2,${ada},Ada,30,`), second)
  assert.equal((await svc('export', 'points', '-o', 'points.csv')).code, 1, 'never over a file')

  assert.match((await svc('hide', 'points', eve)).out, /hidden on points/)
  const { notShown } = await setup.json(['leaderboards', 'show', 'points'], { folder })
  assert.deepEqual([notShown.length, notShown[0].playerId], [1, eve])
  assert.match((await svc('show', 'points')).out, /hidden/)
  assert.match((await svc('unhide', 'points', eve)).out, /with their next score/)
  assert.match((await svc('remove', 'points', ada, '--yes')).out, /values in points deleted/)
  assert.notEqual((await svc('reset', 'points')).code, 0, 'asks first')
  assert.match((await svc('reset', 'points', '--yes')).out, /leaderboard points reset/)
  assert.match((await svc('show', 'points')).out, /Nobody is on this leaderboard yet/)
  assert.equal((await svc('show', 'unknown')).code, 4)
})
