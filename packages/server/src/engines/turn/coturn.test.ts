import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { startCoturn } from '../../../../../scripts/services.ts'
import { createStoppedClock, HOUR_MS, MINUTE_MS, systemClock, type WallClock } from '../../platform/clock.ts'
import { runUclient } from '../../testing/turn-uclient.ts'
import { openCoturn } from './coturn.ts'

const SECRET = 'shared with coturn'
const ASKING = { environmentId: 'env_1', roomId: 'room_1', playerId: 'ply_1', localAddress: '127.0.0.1' }

describe('coturn', () => {
  let coturn: Awaited<ReturnType<typeof startCoturn>>
  before(async () => {
    coturn = await startCoturn({ secret: SECRET })
  })
  after(() => coturn.stop())

  async function credentialsAt(clock: WallClock = systemClock, secret = SECRET) {
    const answer = await openCoturn({ urls: [coturn.url], secret }, clock).iceServers(ASKING)
    return answer?.iceServers[0] ?? {}
  }

  for (const flags of [[], ['-t']]) {
    test(`[P2P-03] accepts our credentials ${flags.join() === '-t' ? 'over TCP' : 'over UDP'}`, async () => {
      assert.match(await runUclient(coturn.port, await credentialsAt(), ...flags), /Total lost packets 0 /)
    })
  }

  test('[P2P-03] rejects expired credentials and those of another secret', async () => {
    const before = { now: () => new Date(systemClock.now().getTime() - HOUR_MS - MINUTE_MS) }
    for (const credentials of [await credentialsAt(before), await credentialsAt(systemClock, 'another')]) {
      assert.match(await runUclient(coturn.port, credentials), /Cannot complete Allocation/)
    }
  })
})

test('[P2P-03] credentials are per player, valid for one hour, and contain only the player’s id', async () => {
  const urls = ['turn:turn.example.com:3478?transport=udp', 'turns:turn.example.com:5349']
  const turn = openCoturn({ urls, secret: 'north' }, createStoppedClock('2026-01-01T00:00:00.700Z'))
  assert.deepEqual(await turn.iceServers(ASKING), {
    iceServers: [{ urls, username: '1767229200:ply_1', credential: '5F5p0NdR/+tm0H81+w0rWXSShhE=' }],
    expiresAt: '2026-01-01T01:00:00.000Z',
  })
  await turn.close()
})
