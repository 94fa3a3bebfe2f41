import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { eventually, type Fixtures, startFixtures } from './fixtures.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'

let fixtures: Fixtures
let proxy: NetworkProxy
before(async () => {
  fixtures = await startFixtures()
  proxy = await startNetworkProxy(fixtures.url)
})
after(async () => {
  await fixtures.stop()
  await proxy.stop()
})

test('[SAV-14] a guest whose sign-in got no response is created once', async () => {
  proxy.hold()
  const connecting = fixtures.client({ url: proxy.url })
  await eventually(() => proxy.held.includes('"accessToken"'), 'the response')
  proxy.cut()
  proxy.open()
  const { player } = await connecting
  const { body } = await fixtures.development.server('GET', '/v1/admin/players')
  assert.deepEqual(
    body.players.map(({ id }: { id: string }) => id),
    [player.id],
  )
})
