import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { createConnections } from '../../edge/realtime/connections.ts'
import { createMemoryCluster } from '../../engines/cluster/memory.ts'
import { createActors } from '../../platform/actors/actors.ts'
import { createNodes } from '../../platform/actors/nodes.ts'
import { createQueries } from '../../platform/actors/queries.ts'
import { createStoppedClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { createTimers } from '../../platform/timers.ts'
import { engines, startService } from '../../testing/service.ts'
import { createChannels } from './channels.ts'
import { createServerChannels } from './server-channels.ts'
import { createChannelStore } from './store.ts'

for (const engine of engines) {
  describe(`voice of a channel while a call is live, on ${engine}`, () => {
    test('[CHN-19] voice cannot be changed then: voice_in_use; everything else can', async (t) => {
      const { db, stop } = await startService(engine)
      t.after(stop)
      let isLive = false
      const clock = createStoppedClock()
      const cluster = await createMemoryCluster()
      const connections = createConnections(cluster.nodeId)
      const nodes = createNodes(cluster, assert.ifError)
      const timers = createTimers(clock)
      const actors = createActors({ cluster, nodes, connections, timers, report: assert.fail })
      t.after(actors.release)
      const store = createChannelStore(db)
      const requireVoice = async () => {}
      createChannels(actors as never, {
        clock,
        queries: createQueries(nodes),
        records: store,
        audit: { record: async () => {} },
        find: store.find,
        random: systemRandom,
        requireVoice,
        isCallLive: (environmentId, channel) => isLive && environmentId === 'env_1' && channel === '@call',
      })
      const counters = { admit: async () => ({ isAdmitted: true, retryInMs: 0 }) }
      const channels = createServerChannels(actors, { counters, requireVoice })
      const caller = {
        environment: { id: 'env_1', projectId: 'prj_1', name: 'development', slug: 'game' },
        actor: { type: 'key', id: 'key_1', label: 'sk_…' },
      } as const
      const put = (changes: object) => channels.write(caller, '@call', changes)

      await put({ voice: true, maxMembers: 20 })
      isLive = true
      const forbidden = [
        { voice: null },
        { voice: { mode: 'p2p' }, maxMembers: 8 },
        { voice: { relayOnly: false } },
      ]
      for (const changes of [...forbidden, { maxMembers: 8 }])
        await assert.rejects(put(changes), { code: 'voice_in_use' })
      assert.deepEqual((await channels.read(caller, '@call')).voice, { mode: 'sfu', relayOnly: true })

      const { maxMembers, voice } = await put({ voice: { mode: 'sfu' }, maxMembers: 30, send: 'server' })
      assert.deepEqual([maxMembers, voice], [30, { mode: 'sfu', relayOnly: true }])
      isLive = false
      assert.equal((await put({ voice: null })).voice, null)
    })
  })
}
