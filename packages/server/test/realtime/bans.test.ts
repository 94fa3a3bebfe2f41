import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { type Guest, newGuest } from '../../src/testing/guests.ts'
import { connect, openSocket, type TestSocket } from '../../src/testing/sockets.ts'
import { startTwoNodes } from '../../src/testing/suite.ts'

describe('a player in a room and a channel, on two nodes', () => {
  const [firstNode, secondNode] = startTwoNodes()

  test('[BAN-07] [WSK-16] [DEV-17] a ban from the dashboard removes the player from both, and the other members are notified', async () => {
    const { development: side, developer } = await firstNode.newProject()
    const config = { features: { multiplayer: true, realtimeChannels: true } }
    assert.equal((await side.server('PUT', '/v1/config', config)).status, 200)
    const [left, banned] = [await newGuest(side), await newGuest(side)]
    const [witness, culprit] = [await connect(firstNode, side, left), await connect(secondNode, side, banned)]
    const { room } = await witness.request({ t: 'create' })
    await culprit.request({ t: 'join', roomId: room.id })
    for (const socket of [witness, culprit]) await socket.request({ t: 'channelJoin', channel: 'lobby' })

    const ban = { reason: 'test' }
    assert.equal((await developer.call('POST', `${side.path}/players/${banned.id}/ban`, ban)).status, 200)

    assert.deepEqual(await culprit.closed, { code: 4003, reason: 'player_banned' })
    const seat = { t: 'player_left', playerId: banned.id, reason: 'banned' }
    const place = { t: 'channel_player_left', channel: 'lobby', playerId: banned.id }
    const isIt = ({ t, playerId }: { t: string; playerId?: string }) =>
      playerId === banned.id && (t === seat.t || t === place.t)
    const heard = [await witness.until(isIt, 'the first'), await witness.until(isIt, 'the second')]
    assert.deepEqual(
      heard.toSorted((a, b) => (a.t < b.t ? 1 : -1)),
      [seat, place],
    )
    await witness.close()
  })

  async function newSide() {
    const { development: side } = await firstNode.newProject()
    await side.server('PUT', '/v1/config', { features: { multiplayer: true } })
    return side
  }
  type Side = Awaited<ReturnType<typeof newSide>>
  async function ban(side: Side, playerId: string, terms: object) {
    const { status } = await side.server('POST', `/v1/admin/players/${playerId}/ban`, terms)
    assert.equal(status, 200)
  }
  async function sanctionOf(guest: Guest) {
    const { body } = await guest.call('GET', '/v1/players/me/sanctions')
    return body.sanctions[0] as { id: string; expiresAt: string | null }
  }
  const warningOf = async (socket: TestSocket) => {
    const { code, details, request } = await socket.next('warn')
    assert.deepEqual(await socket.closed, { code: 4003, reason: 'player_banned' })
    return { code, details, request }
  }

  for (const [what, terms, note] of [
    ['with an end', { reason: 'Cheating', durationHours: 2 }, 'Cheating'],
    ['without end and reason', {}, null],
  ] as const)
    test(`[BAN-07] [BAN-08] [WSK-04] [GEN-02] a ban ${what} is sent as a warning before the connection closes, on either node`, async () => {
      const side = await newSide()
      for (const node of [firstNode, secondNode]) {
        const guest = await newGuest(side)
        const socket = await connect(node, side, guest)
        await ban(side, guest.id, terms)

        const warning = await warningOf(socket)
        const { id: sanctionId, expiresAt } = await sanctionOf(guest)
        assert.deepEqual(warning, {
          code: 'player_banned',
          details: { sanctionId, note, expiresAt: expiresAt && Date.parse(expiresAt) },
          request: undefined,
        })
        assert.equal(expiresAt === null, !('durationHours' in terms))
      }
    })

  test('[BAN-08] [WSK-04] [GEN-02] a banned player who connects gets a warning with the reason', async () => {
    const side = await newSide()
    const guest = await newGuest(side)
    await ban(side, guest.id, { reason: 'Cheating', durationHours: 2 })
    const socket = await openSocket(secondNode)
    socket.send({ t: 'auth', key: side.publishableKey, token: guest.accessToken })

    const { code, details } = await warningOf(socket)
    const { id: sanctionId, expiresAt } = await sanctionOf(guest)
    assert.equal(code, 'player_banned')
    assert.deepEqual(details, { sanctionId, note: 'Cheating', expiresAt: Date.parse(String(expiresAt)) })
  })
})
