import type { Resolver } from 'node:dns/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'

import type { RoomProcessSpec, StoreBinding } from '../../../../platform/ports/room-process.ts'
import { BINDING_HEADER, FUNCTIONS_TARGET, isStore } from '../config/room-config.ts'
import { openRemoteEgress } from '../network/remote-egress.ts'
import { refuse, stripped } from '../network/request-mark.ts'
import { openServiceCalls } from '../network/service-calls.ts'
import { listenOn } from '../network/sockets.ts'
import { createRoomSubRequests } from './sub-requests.ts'

/** A room may call its bindings as often as it likes, but not all at once. */
const CALLS_MAX = 256

type ServiceOptions = {
  spec: RoomProcessSpec
  resolver: Resolver
  addEgressBytes(bytes: number): void
  addEgressCpuMs(ms: number): void
}

/** Opens the sockets in `folder` through which a process of rooms reaches the network, the service and its bindings. */
export async function openRoomServices(
  folder: string,
  { spec, resolver, addEgressBytes, addEgressCpuMs }: ServiceOptions,
): Promise<{ close(): void }> {
  const { count, loopOf } = createRoomSubRequests(spec.limits.subRequests)
  const services = await Promise.all([
    openRemoteEgress(join(folder, 'egress.sock'), {
      allowLoopback: spec.allowLoopback,
      resolver,
      count,
      loopOf,
      addBytes: addEgressBytes,
      addCpuMs: addEgressCpuMs,
    }),
    openServiceCalls(join(folder, 'svc.sock'), spec.onServiceCall, count),
    openBindingCalls(join(folder, 'bindings.sock'), spec, count),
  ])
  return { close: () => services.forEach((service) => service.close()) }
}

/** Calls of bindings, and of the functions of the environment. */
function openBindingCalls(
  path: string,
  { code, onBindingCall, onFunctionsCall }: RoomProcessSpec,
  count: (roomId: string | undefined) => string | undefined,
): Promise<{ close(): void }> {
  const bindings = new Map<string, StoreBinding>()
  for (const binding of code?.bindings ?? []) if (isStore(binding)) bindings.set(binding.name, binding)
  let calls = 0

  function answer(request: IncomingMessage, response: ServerResponse) {
    const { requestId: roomId, headers } = stripped(request)
    const { [BINDING_HEADER]: name, ...sent } = headers
    request.headers = sent
    request.on('error', ignore)
    response.on('error', ignore)
    if (calls >= CALLS_MAX)
      return turnDown(request, response, 'too many calls of bindings are in progress: await some of them')
    calls++
    response.on('close', () => calls--)
    if (name === FUNCTIONS_TARGET) {
      const overLimit = count(roomId)
      return overLimit ? turnDown(request, response, overLimit) : onFunctionsCall(request, response)
    }
    const binding = bindings.get(String(name))
    if (!binding) return turnDown(request, response, 'there is no such binding')
    return onBindingCall(binding, request, response)
  }

  const server = createServer(answer)
  server.requestTimeout = 0
  return listenOn(server, path)
}

function turnDown(request: IncomingMessage, response: ServerResponse, reason: string) {
  request.resume()
  refuse(response, reason)
}

const ignore = () => {}
