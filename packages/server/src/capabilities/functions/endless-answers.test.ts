import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'

import {
  deployFunctions,
  type FunctionsService,
  startFunctionsService,
} from '../../testing/deployed-functions.ts'
import { ENDLESS_ANSWERS } from '../../testing/endless-answers.ts'
import { type EndlessServer, startEndlessServer } from '../../testing/endless-server.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { newSaver, type Saver } from '../../testing/saving-guest.ts'

/** Fetches eight times and reads everything. */
const CODE = `export default { async fetch(request) {
  const url = new URL(request.url).searchParams.get('url')
  const read = async () => { for await (const part of (await fetch(url)).body); }
  const ends = await Promise.allSettled(Array.from({ length: 8 }, read))
  return new Response(ends.map(({ status, reason }) => reason?.message ?? status).join('\\n'))
} }`
const FETCHES = 8
const SAVES = 20
/** In the process of the service interim answers cost 3 times as much as the saves, and one-byte chunks 100 times. */
const RATIO_MAX = 2.5
const ROUNDS_MAX = 5

let service: FunctionsService
let server: EndlessServer
let saver: Saver
let host: string
/** CPU time of the service's thread for a save, while nothing else happens. */
let quietMs = Infinity

before(async () => {
  service = await startFunctionsService('sqlite', {
    HOST: '127.0.0.1',
    SVC_TEST_CLOCK: 'off',
    SVC_LIMIT_PLAYER_PER_MINUTE: '100000',
  })
  await service.http.listen({ host: '127.0.0.1', port: 0 })
  server = await startEndlessServer()
  const hostile = await service.newProject()
  host = new URL((await deployFunctions(hostile.development, CODE)).url).host
  const game = await service.newProject()
  await game.development.server('PUT', '/v1/config', { features: { saves: true } })
  saver = await newSaver(service, game.development)
  for (let round = 0; round < 5; round++) quietMs = Math.min(quietMs, await saveMs())
})
after(async () => {
  server.stop()
  await service.stop()
})

async function saveMs(): Promise<number> {
  const before = process.threadCpuUsage()
  for (let i = 0; i < SAVES; i++) assert.equal((await saver.write(`slot${i}`, { data: i })).status, 200)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000 / SAVES
}

/** A visitor of the function, until `leave` is called. */
function visit(name: string) {
  const { port } = service.http.server.address() as AddressInfo
  const path = `/?url=http://${server.address}/${name}`
  const sent = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }).end()
  sent.on('error', () => {})
  return { leave: () => void sent.destroy() }
}

for (const name of Object.keys(ENDLESS_ANSWERS))
  test(`[FUN-15] a fetched server that sends ${name} without end costs the service nothing`, async (t) => {
    const asked = await server.requests()
    const { leave } = visit(name)
    t.after(leave)
    await comesTrue('the server has the requests', async () => (await server.requests()) - asked >= FETCHES)

    // Other work of the machine costs one round; what such a server costs, it costs in each.
    let ratio = Infinity
    for (let round = 0; round < ROUNDS_MAX && ratio >= RATIO_MAX; round++)
      ratio = Math.min(ratio, (await saveMs()) / quietMs)

    t.diagnostic(`saves cost ${ratio.toFixed(1)} times as much`)
    assert.ok(ratio < RATIO_MAX, `saves cost ${ratio.toFixed(1)} times as much`)
    leave()
    await comesTrue('no connection is left', async () => (await server.connections()) === 0)
  })
