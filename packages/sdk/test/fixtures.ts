import { freePort } from '../../../scripts/free-port.ts'
import { DirectSocket } from '../../server/src/edge/realtime/websocket/direct-socket.ts'
import { WAIT_MAX_MS } from '../../server/src/testing/in-time.ts'
import { type Call, type Engine, type Service, startService } from '../../server/src/testing/service.ts'
import { connect, type ConnectOptions, type KeyValueStorage, type Svc } from '../src/index.ts'

export const FEATURES = {
  emailLogin: true,
  saves: true,
  stats: true,
  multiplayer: true,
  realtimeChannels: true,
}
export const CONFIG = {
  features: FEATURES,
  stats: [{ key: 'points', aggregation: 'max', maxPerSubmit: 500 }],
  multiplayer: {
    modes: [
      { key: 'duel', minPlayers: 2, maxPlayers: 2 },
      { key: 'party', minPlayers: 2, maxPlayers: 8 },
      { key: 'mesh', minPlayers: 2, maxPlayers: 4, transport: 'p2p' },
    ],
  },
}

export type Fixtures = Awaited<ReturnType<typeof startFixtures>>

/** A service on a real port with a project, and clients of it; `stop` closes all of them. */
export async function startFixtures(
  config: object = CONFIG,
  settings: Record<string, string> = {},
  engine: Engine = 'sqlite',
) {
  // The service has to know its address before it listens.
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const all = { SVC_RATE_LIMITS: 'off', SVC_BASE_URL: baseUrl, ...settings }
  let service: Service = await startService(engine, { settings: all })
  const project = await service.newProject()
  const { development } = project
  const pushed = await development.server('PUT', '/v1/config', config)
  if (pushed.status !== 200) throw new Error(JSON.stringify(pushed.body))
  await service.http.listen({ port, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${port}`
  const clients: Svc[] = []

  /** The WebSockets of the service, the oldest first. It takes connections over from the sockets that its HTTP server knows, so Node is asked. */
  function webSockets(): DirectSocket[] {
    const handles = (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles()
    return handles
      .filter((each) => each instanceof DirectSocket)
      .filter(({ localPort }) => localPort === port)
  }

  return {
    get service() {
      return service
    },
    development: {
      ...development,
      // Uses the current service: `restart` replaces it.
      server: (...request: Parameters<Call>) => service.withKey(development.secretKey)(...request),
      public: (...request: Parameters<Call>) => service.withKey(development.publishableKey)(...request),
    },
    developer: (...request: Parameters<Call>) => service.withToken(project.developer.token)(...request),
    /** The live view of the developer: rooms, queues and channels. */
    async live() {
      const view = await service.withToken(project.developer.token)('GET', `${development.path}/realtime`)
      return view.body
    },
    url,
    baseUrl,
    /** The part of the dashboard's addresses that names the environment, and the token of its owner. */
    dashboard: { path: `/dashboard/${project.slug}/development`, token: project.developer.token },
    key: development.publishableKey,
    productionKey: project.production.publishableKey,

    async client(options: ConnectOptions = {}): Promise<Svc> {
      const svc = await connect({ url, key: development.publishableKey, ...options })
      clients.push(svc)
      return svc
    },

    /** Simulates a lost network: no close frame is sent. */
    destroyConnections() {
      for (const socket of webSockets()) socket.destroy()
    },

    /** Destroys the connection that was opened last. */
    destroyNewestConnection() {
      const newest = webSockets().at(-1)
      if (!newest) throw new Error('there is no connection')
      newest.destroy()
    },

    /** Stops gracefully and starts again with the same data and port; `meanwhile` runs while the service is down. */
    async restart(meanwhile: () => Promise<void> = async () => {}) {
      const before = service
      await before.close()
      await meanwhile()
      service = await startService(engine, { settings: all, clusterOf: before })
      await service.http.listen({ port, host: '127.0.0.1' })
    },

    async stop() {
      for (const svc of clients) svc.close()
      await service.close()
      await service.removeData()
    },
  }
}

/** A storage that several tabs share. */
export function sharedStorage(): KeyValueStorage & { values: Map<string, string> } {
  const values = new Map<string, string>()
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
}

type Listenable = { on(name: never, listener: (...args: never[]) => void): () => void }

/** The arguments of the next event of this name. */
export function next<Args extends unknown[] = unknown[]>(
  from: Listenable,
  name: string,
  isIt: (...args: Args) => boolean = () => true,
): Promise<Args> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => (stop(), reject(new Error(`${name} did not come`))), WAIT_MAX_MS).unref()
    const stop = from.on(name as never, (...args: never[]) => {
      if (!isIt(...(args as unknown as Args))) return
      clearTimeout(timer)
      stop()
      resolve(args as unknown as Args)
    })
  })
}

/** Polls until the condition is true. */
export async function eventually(holds: () => boolean | Promise<boolean>, what: string) {
  const deadline = performance.now() + WAIT_MAX_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
