import type {
  FunctionBinding,
  FunctionCode,
  FunctionsSpec,
} from '../../../../platform/ports/functions-engine.ts'
import type { StoreBinding } from '../../../../platform/ports/room-process.ts'
import { CF_HEADER } from '../network/request-mark.ts'
import type { CapnpValue } from './capnp-text.ts'
import {
  type ConfigPaths,
  internalModule,
  internetService,
  socketAddress,
  svcService,
  userCompatibility,
  userModules,
  userValues,
  v8Flags,
} from './config.ts'
import { ROOM_RUNTIME, roomRuntime, scriptOf } from './own-workers.ts'

/** Names what a request on the socket of bindings is for. workerd sets it: the code cannot. */
export const BINDING_HEADER = 'svc-binding'
/** In the same header: the functions of the environment. No binding has such a name. */
export const FUNCTIONS_TARGET = '.functions'

/**
 * A process of rooms has many short-lived objects and one heap. With 1 MB as in functions it needs more CPU time per turn, and its memory
 * grows further (decision 0075).
 */
const NEW_SPACE_MB = 8

export const isStore = (binding: FunctionBinding): binding is StoreBinding =>
  binding.type === 'db' || binding.type === 'kv' || binding.type === 'files' || binding.type === 'queue'

/** The config of a process of rooms: the code in one worker, without any data. */
export function roomConfigOf(
  code: FunctionCode,
  secrets: FunctionsSpec['secrets'],
  paths: Pick<ConfigPaths, 'sockets'>,
): CapnpValue {
  const target = (name: string, value: string) => ({
    name,
    external: {
      address: socketAddress(paths, 'bindings'),
      http: { cfBlobHeader: CF_HEADER, injectRequestHeaders: [{ name: BINDING_HEADER, value }] },
    },
  })
  return {
    services: [
      internetService(paths),
      svcService(paths),
      target('functions', FUNCTIONS_TARGET),
      ...code.bindings.filter(isStore).map(({ name }) => target(serviceName(name), name)),
      {
        name: 'rooms',
        worker: {
          ...userCompatibility(code),
          modules: [
            { name: 'svc-main.js', esModule: mainScript(code.mainModule) },
            { name: 'svc-rooms.js', esModule: scriptOf('rooms') },
            ...roomRuntime(),
            ...userModules(code),
          ],
          bindings: [...code.bindings.map(roomBinding), ...userValues(code, secrets), SVC_BINDING],
          globalOutbound: { name: 'internet' },
        },
      },
    ],
    sockets: [{ name: 'http', address: socketAddress(paths, 'http'), http: {}, service: { name: 'rooms' } }],
    extensions: [{ modules: [internalModule('service-calls'), internalModule('absent')] }],
    v8Flags: v8Flags(NEW_SPACE_MB),
    logging: { structuredLogging: true },
  }
}

const SVC_BINDING: CapnpValue = {
  name: 'SVC',
  wrapped: {
    moduleName: 'svc-internal:service-calls',
    innerBindings: [
      { name: 'fetcher', service: { name: 'svc' } },
      { name: 'functions', service: { name: 'functions' } },
    ],
  },
}

const serviceName = (binding: string) => `binding-${binding}`

/** The wrapper and the runtime must be in place before the code runs. */
const mainScript = (mainModule: string) => `
import * as wrapper from "svc-wrap.js"
import * as runtime from "${ROOM_RUNTIME}"
import { serveRooms } from "svc-rooms.js"
import * as user from ${JSON.stringify(mainModule)}
export default serveRooms(user, runtime, wrapper)
`

function roomBinding(binding: FunctionBinding): CapnpValue {
  const { name } = binding
  const service = { name: serviceName(name) }
  switch (binding.type) {
    case 'db':
      return {
        name,
        wrapped: { moduleName: 'cloudflare-internal:d1-api', innerBindings: [{ name: 'fetcher', service }] },
      }
    case 'kv':
      return { name, kvNamespace: service }
    case 'files':
      return { name, r2Bucket: service }
    case 'queue':
      return { name, queue: service }
    case 'durable_object':
    case 'assets':
    case 'service':
      return {
        name,
        wrapped: {
          moduleName: 'svc-internal:absent',
          innerBindings: [{ name: 'message', text: absentMessage(binding) }],
        },
      }
  }
}

const absentMessage = ({ name, type }: FunctionBinding) =>
  `env.${name} (${type}) is not available in rooms: call env.SVC.functions.fetch(path) and use it there.`
