import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTick } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { engines, type Service, startService } from '../../testing/service.ts'
import { openSocket } from '../../testing/sockets.ts'

const COLLECTIONS_MAX = 20

for (const engine of engines)
  describe(`the memory of an open WebSocket on ${engine}`, () => {
    let service: Service
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())

    test('is without the request and the socket of its upgrade', async () => {
      const project = await service.newProject()
      const { server, publishableKey } = project.development
      await server('PUT', '/v1/config', { features: { multiplayer: true } })
      const upgrade = once(service.http.server, 'upgrade').then((event) =>
        event.slice(0, 2).map((each: IncomingMessage | Duplex) => new WeakRef(each)),
      )
      const socket = await openSocket(service)
      socket.send({ t: 'auth', key: publishableKey, anon: true })
      await socket.next('welcome')
      const [request, replaced] = await upgrade

      setFlagsFromString('--expose-gc')
      const collect = runInNewContext('gc') as () => void
      for (let i = 0; i < COLLECTIONS_MAX && (request?.deref() || replaced?.deref()); i++) {
        await nextTick()
        collect()
      }
      assert.equal(request?.deref(), undefined)
      assert.equal(replaced?.deref(), undefined)
      await socket.close()
    })
  })
