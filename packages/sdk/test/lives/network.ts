import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type DeviceNetwork = Awaited<ReturnType<typeof startDeviceNetwork>>
type Pair = { near: Socket; far: Socket; isForgotten: boolean }

/** The network between one device and the service. Connections that were open while it was dead are never answered and never closed. */
export async function startDeviceNetwork(servicePort: number) {
  let state: 'open' | 'stalled' | 'dead' = 'open'
  let next: 'pass' | 'cut' | 'lose' = 'pass'
  const pairs = new Set<Pair>()

  const server = createServer((near) => {
    const pair: Pair = { near, far: connect(servicePort, '127.0.0.1'), isForgotten: state === 'dead' }
    const { far } = pair
    pairs.add(pair)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => {
        // The other side of a forgotten connection learns nothing.
        if (!pair.isForgotten) other.destroy()
        if (near.destroyed && far.destroyed) pairs.delete(pair)
      })
      if (state === 'stalled') one.pause()
    }
    near.on('data', (bytes) => pair.isForgotten || far.write(bytes))
    far.on('data', (bytes: Buffer) => {
      if (pair.isForgotten) return
      if (next === 'lose') return die()
      if (next === 'pass') return void near.write(bytes)
      next = 'pass'
      near.end(bytes.subarray(0, bytes.length / 2))
      far.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  function die() {
    state = 'dead'
    next = 'pass'
    for (const pair of pairs) pair.isForgotten = true
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Everything arrives late, in order. */
    stall() {
      state = 'stalled'
      for (const { near, far } of pairs) for (const one of [near, far]) one.pause()
    },
    /** Nothing arrives any more, and nobody is told. */
    die,
    back() {
      state = 'open'
      next = 'pass'
      for (const { near, far } of pairs) for (const one of [near, far]) one.resume()
    },
    /** All connections are reset. */
    cut() {
      for (const { near, far } of pairs) for (const one of [near, far]) one.destroy()
    },
    /** The next answer ends in its middle. */
    cutNextAnswer: () => void (next = 'cut'),
    /** The next request arrives, and its answer does not: the network dies before it. */
    loseNextAnswer: () => void (next = 'lose'),
    async stop() {
      for (const { near, far } of pairs) for (const one of [near, far]) one.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
