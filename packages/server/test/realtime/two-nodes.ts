import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createClient } from '@redis/client'

import { newPostgresDatabase } from '../../src/testing/databases.ts'
import { startRedis } from '../../src/testing/redis.ts'
import { until } from '../../src/testing/rooms.ts'
import { freePort, type ServerProcess, startServer } from '../server-process.ts'
import { newGameServer } from './game-server.ts'

export type NodeName = 'a' | 'b'
export type TwoNodes = Awaited<ReturnType<typeof startTwoNodes>>

export const otherThan = (node: NodeName): NodeName => (node === 'a' ? 'b' : 'a')

/** Its fill timeout is short, because these programs use the real clock. */
export const MATCH_MODE = { key: 'match', minPlayers: 2, maxPlayers: 4, fillTimeoutSeconds: 3 }

const CONFIG = {
  features: { multiplayer: true, realtimeChannels: true, voice: true },
  multiplayer: { modes: [{ key: 'default', minPlayers: 2, maxPlayers: 8 }, MATCH_MODE] },
}

/** A Redis that the caller started: its REDIS_URL, and the URL of the server that has the data now. */
type GivenRedis = { url: string; masterUrl: () => string }

type TwoNodesOptions = {
  redis?: GivenRedis
  config?: object
  /** More settings of a node, which listens on this port; `folder` is the same for both. */
  settings?: (port: number, folder: string) => Record<string, string>
}

/** Starts two server programs on one PostgreSQL and one Redis. Nodes and Redis can be stopped and restarted. */
export async function startTwoNodes({ redis: given, config = CONFIG, settings }: TwoNodesOptions = {}) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), 'svc-two-nodes-')), (path) =>
    rm(path, { recursive: true, force: true }),
  )
  const postgres = opened.adopt(await newPostgresDatabase(), ({ remove }) => remove())
  let redis = given ? undefined : await startRedis()
  opened.defer(() => redis?.stop())
  const url = given?.url ?? redis?.url ?? ''
  const masterUrl = given?.masterUrl ?? (() => url)
  const start = async (name: NodeName) => {
    const port = settings && (await freePort())
    return startServer({
      DATABASE_URL: postgres.url,
      REDIS_URL: url,
      SVC_SECRET_KEY: 'ab'.repeat(32),
      SVC_BASE_URL: 'http://game.localhost',
      SVC_DATA_DIR: join(folder, name),
      SVC_RATE_LIMITS: 'off',
      ...(port !== undefined && { PORT: String(port), ...settings?.(port, folder) }),
    })
  }
  /** Errors that the stopped servers logged. */
  const logged: string[] = []
  const end = async (node: ServerProcess) => {
    node.signal('SIGKILL')
    const { output, errors } = await node.ended
    logged.push(...output.split('\n').filter((line) => line.includes('"level":50')), errors)
  }
  const nodes: Record<NodeName, ServerProcess> = {
    a: opened.adopt(await start('a'), () => end(nodes.a)),
    b: opened.adopt(await start('b'), () => end(nodes.b)),
  }
  const game = await newGameServer(nodes.a, config)
  const stack = opened.move()

  return {
    game,
    nodes,
    logged,
    kill: (name: NodeName) => end(nodes[name]),
    /** SIGTERM; resolves when it has ended by itself. */
    async stopNode(name: NodeName) {
      nodes[name].signal('SIGTERM')
      const { code, output } = await nodes[name].ended
      logged.push(...output.split('\n').filter((line) => line.includes('"level":50')))
      return code
    },
    freeze: (name: NodeName) => nodes[name].signal('SIGSTOP'),
    wake: (name: NodeName) => nodes[name].signal('SIGCONT'),
    async restart(name: NodeName) {
      nodes[name] = await start(name)
    },
    /** This Redis stores nothing on disk, so all shared state of the nodes is lost. */
    async restartRedis() {
      await redis?.stop()
      redis = await startRedis({ port: Number(new URL(url).port) })
    },
    async stopRedis() {
      await redis?.stop()
      redis = undefined
    },
    async startRedis() {
      redis = await startRedis({ port: Number(new URL(url).port) })
    },
    flushRedis: () => withRedis(masterUrl(), (client) => client.flushAll()),

    /** Resolves when the snapshot from which the next owner would start contains this text. */
    isSnapshotSaved: (roomId: string, text: string) =>
      withRedis(masterUrl(), (client) =>
        until(async () => {
          for (const key of await client.keys(`*:snapshot:room:*:${roomId}`))
            if ((await client.get(key))?.includes(text)) return true
          return false
        }),
      ),

    stop: () => stack.disposeAsync(),
  }
}

const newClient = (url: string) => createClient({ url })

async function withRedis<T>(url: string, work: (client: ReturnType<typeof newClient>) => Promise<T>) {
  const client = newClient(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    client.destroy()
  }
}
