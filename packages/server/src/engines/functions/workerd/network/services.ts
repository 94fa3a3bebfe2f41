import type { Resolver } from 'node:dns/promises'
import { join } from 'node:path'

import type { FunctionsSpec } from '../../../../platform/ports/functions-engine.ts'
import { type BodyStore, openFileBodies } from './file-bodies.ts'
import { openRemoteEgress } from './remote-egress.ts'
import { openServiceCalls } from './service-calls.ts'
import type { SubRequestCounter } from './sub-requests.ts'

export type ServiceOptions = {
  spec: FunctionsSpec
  blobs: BodyStore
  resolver: Resolver
  subRequests: SubRequestCounter
  addEgressBytes(bytes: number): void
  addEgressCpuMs(ms: number): void
  /** The code has sent something. */
  noteProgress(): void
}

/** Opens the sockets in `folder` through which a process reaches the network, the service and the bodies of its files. */
export async function openServices(folder: string, options: ServiceOptions): Promise<{ close(): void }> {
  const { spec, blobs, resolver, subRequests, addEgressBytes, addEgressCpuMs, noteProgress } = options
  const count = (requestId: string | undefined) => {
    noteProgress()
    return subRequests.count(requestId)
  }
  const services = await Promise.all([
    openRemoteEgress(join(folder, 'egress.sock'), {
      allowLoopback: spec.allowLoopback,
      resolver,
      count,
      loopOf: subRequests.loopOf,
      addBytes: addEgressBytes,
      addCpuMs: addEgressCpuMs,
    }),
    openServiceCalls(join(folder, 'svc.sock'), spec.onServiceCall, count),
    openFileBodies(join(folder, 'bodies.sock'), spec.dataId, blobs),
  ])
  return { close: () => services.forEach((service) => service.close()) }
}
