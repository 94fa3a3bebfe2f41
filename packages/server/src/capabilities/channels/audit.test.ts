import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'

import { type ChannelApp, newChannelApp } from '../../testing/channels.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

for (const engine of engines) {
  describe(`the audit log of channels on ${engine}`, () => {
    let one: Service
    /** A second node on PostgreSQL; otherwise the same node. */
    let two: Service
    let app: ChannelApp
    before(async () => {
      one = await startService(engine)
      two = engine === 'postgres' ? await startService(engine, { clusterOf: one }) : one
    })
    after(async () => {
      if (two !== one) await two.stop()
      await one.stop()
    })
    beforeEach(async () => void (app = await newChannelApp(one)))

    type Entry = {
      action: string
      target: string
      env: string
      actor: { type: string; id: string }
      details: object
    }
    /** The audit entries about channels, oldest first. */
    async function entries(): Promise<Entry[]> {
      const { body } = await app.project.developer.call('GET', `/v1/projects/${app.project.id}/audit`)
      return body.entries.filter(({ action }: Entry) => action.startsWith('channel.')).reverse()
    }
    const received = async () =>
      (await entries()).map(({ action, target, details }) => [action, target, details])

    test('[AUD-01] [CHN-17] [CHN-20] [CHN-22] PUT, moderate and DELETE by a secret key are audited, messages are not', async () => {
      const { server } = app
      await server.put('@stage', { send: 'speakers', speakers: ['ply_a', 'ply_b'], maxMembers: 5 })
      await server.put('@stage', { open: true })
      await server.moderate('@stage', { op: 'mute', playerId: 'ply_a', seconds: 60 })
      await server.moderate('@stage', { op: 'kick', playerId: 'ply_a' })
      await server.send('@stage', { type: 'x', data: 'said' })
      await server.read('@stage')
      await server.remove('@stage')

      assert.deepEqual(await received(), [
        ['channel.write', '@stage', { send: 'speakers', speakers: 2, maxMembers: 5 }],
        ['channel.write', '@stage', { open: true }],
        ['channel.moderate', '@stage', { op: 'mute', playerId: 'ply_a', seconds: 60 }],
        ['channel.moderate', '@stage', { op: 'kick', playerId: 'ply_a' }],
        ['channel.delete', '@stage', {}],
      ])
      const [entry] = await entries()
      const key = app.project.keys.find(({ key: text }) => text === app.side.secretKey)
      assert.deepEqual([entry?.actor.type, entry?.actor.id, entry?.env], ['key', key?.id, 'development'])
      assert.deepEqual((await one.audit.verify()).broken, [])
    })

    test('[AUD-01] rejected requests are not audited', async () => {
      const { server } = app
      assert.equal((await server.remove('@unknown')).status, 404)
      assert.equal((await server.moderate('@unknown', { op: 'kick', playerId: 'ply_a' })).status, 404)
      assert.equal((await server.put('plain', {})).status, 400)
      assert.equal((await server.put('@large', { maxMembers: 200, voice: { mode: 'p2p' } })).status, 403)
      assert.deepEqual(await received(), [])
    })

    test('[AUD-01] [CHN-13] in a channel of a player the server’s changes are audited and the owner’s are not', async () => {
      const [owner, member] = [await app.join(one), await app.join(two)]
      await owner.request({ t: 'channelCreate', channel: '@ours' })
      await member.request({ t: 'channelJoin', channel: '@ours' })
      const moderate = { t: 'channelModerate', channel: '@ours', playerId: member.id }
      await owner.request({ ...moderate, op: 'mute' })
      assert.deepEqual(await received(), [])

      assert.equal(
        (await app.serverAt(two).moderate('@ours', { op: 'kick', playerId: member.id })).status,
        200,
      )
      await member.next('channel_closed')
      assert.equal((await app.serverAt(two).remove('@ours')).status, 200)
      await owner.next('channel_closed')
      assert.deepEqual(await received(), [
        ['channel.moderate', '@ours', { op: 'kick', playerId: member.id }],
        ['channel.delete', '@ours', {}],
      ])
      await app.closeAll()
    })

    test('[AUD-01] changes at the same moment on all nodes are each audited once', async () => {
      const other = app.serverAt(two)
      const puts = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? app.server : other).put('@busy', { maxMembers: i + 1 }),
      )
      for (const answer of await Promise.all(puts)) assert.equal(answer.status, 200)
      const members = (await entries()).map(({ details }) => (details as { maxMembers: number }).maxMembers)
      assert.deepEqual(
        members.toSorted((a, b) => a - b),
        Array.from({ length: 20 }, (_, i) => i + 1),
      )
      const { body } = await app.server.read('@busy')
      assert.equal(body.maxMembers, members.at(-1))
      assert.deepEqual((await one.audit.verify()).broken, [])
    })
  })
}
