import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { createMovableClock, HOUR_MS, systemClock } from '../../../platform/clock.ts'
import { startRelay, type TestRelay } from '../../../testing/turn-relay.ts'
import { runUclient } from '../../../testing/turn-uclient.ts'

describe('the embedded relay with coturn’s test client', { concurrency: true }, () => {
  let relay: TestRelay

  before(async () => {
    relay = await startRelay({ clock: systemClock })
  })
  after(() => relay.stop())

  for (const [how, ...flags] of [
    ['UDP, with channels'],
    ['UDP, with indications', '-s'],
    ['TCP, with channels', '-t'],
    ['TCP, with indications', '-t', '-s'],
  ]) {
    test(`[P2P-03] relays over ${how}, and loses nothing`, async () => {
      const said = await runUclient(relay.port, await relay.credentials(`ada${flags.join('')}`), ...flags)
      assert.match(said, /tot_send_msgs=40, tot_recv_msgs=40/)
      assert.match(said, /Total lost packets 0 /)
    })
  }

  test('[P2P-03] rejects wrong and expired credentials', async (t) => {
    const good = await relay.credentials('bob')
    const clock = createMovableClock()
    clock.step(-HOUR_MS)
    const older = await startRelay({ clock })
    t.after(older.stop)
    for (const credentials of [{ ...good, credential: 'wrong' }, await older.credentials('bob')]) {
      assert.match(await runUclient(relay.port, credentials), /Cannot complete Allocation/)
    }
  })

  test('reaches no other host', async () => {
    const said = await runUclient(relay.port, await relay.credentials('cleo'), '-e', '127.0.0.1')
    assert.match(said, /403 \(Forbidden\)/)
  })
})
