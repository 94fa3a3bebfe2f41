import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createClient } from '@redis/client'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { startPostgres, startRedis } from '../../../../scripts/services.ts'
import { s3Credentials, startS3Server } from '../../src/testing/s3-server.ts'
import { startSmtpServer } from '../../src/testing/smtp-server.ts'
import { deploymentNamed } from '../faults/functions-nodes.ts'
import { newGameServer } from '../realtime/game-server.ts'
import { freePort, type ServerProcess, setUpCallerOf, startServer } from '../server-process.ts'
import { commandLineOf, descendantsOf } from './processes.ts'

export const NODES = ['a', 'b'] as const
export type NodeName = (typeof NODES)[number]
export type ChaosCluster = Awaited<ReturnType<typeof startChaosCluster>>

/** The node whose data folder is on a small disk of its own. */
export const DISK_NODE: NodeName = 'b'
const DISK_MEGABYTES = 64
export const canMount = process.getuid?.() === 0

const CONFIG = {
  features: { saves: true, multiplayer: true, hosting: true },
  multiplayer: { modes: [{ key: 'default', minPlayers: 2, maxPlayers: 8 }] },
  share: { images: { enabled: true }, links: { enabled: true } },
}

/** Two server programs with every part on PostgreSQL, Redis, S3 and SMTP of their own, each of which can fail. */
export async function startChaosCluster() {
  findOrInstall('bubblewrap')
  await using opened = new AsyncDisposableStack()
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), 'svc-chaos-')), (path) =>
    rm(path, { recursive: true, force: true }),
  )
  // The account of the sandbox must be able to enter it.
  await chmod(folder, 0o711)
  const postgres = opened.adopt(await startPostgres(), ({ stop }) => stop())
  let redis = await startRedis()
  opened.defer(() => redis.stop())
  const s3 = opened.adopt(await startS3Server(), ({ close }) => close())
  const smtp = opened.adopt(await startSmtpServer(), ({ stop }) => stop())
  const { port: redisPort, url: redisUrl } = redis

  const start = async (name: NodeName, variables: Record<string, string> = {}) => {
    const port = await freePort()
    return startServer({
      PORT: String(port),
      DATABASE_URL: postgres.url,
      REDIS_URL: redisUrl,
      SVC_BLOBS_URL: s3.url,
      AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
      SMTP_URL: smtp.url,
      SVC_MAIL_FROM: 'svc@example.com',
      SVC_SECRET_KEY: 'ab'.repeat(32),
      SVC_BASE_URL: 'http://game.localhost',
      SVC_DATA_DIR: join(folder, name),
      FUNCTIONS_DIR: join(folder, 'functions'),
      SVC_NODE_URL: `http://127.0.0.1:${port}`,
      SVC_RATE_LIMITS: 'off',
      SVC_BILLING: 'off',
      ...variables,
    })
  }
  /** What the nodes that have ended logged as errors. */
  const logged: string[] = []
  const end = async (node: ServerProcess) => {
    node.signal('SIGKILL')
    node.signal('SIGCONT')
    const { output, errors } = await node.ended
    logged.push(...output.split('\n').filter((line) => line.includes('"level":50')), errors)
  }
  for (const name of NODES) await mkdir(join(folder, name))
  if (canMount) opened.defer(mountSmallDisk(join(folder, DISK_NODE)))
  const nodes: Record<NodeName, ServerProcess> = {
    a: opened.adopt(await start('a'), () => end(nodes.a)),
    b: opened.adopt(await start('b'), () => end(nodes.b)),
  }
  const game = await newGameServer(nodes.a, CONFIG)
  const functionsHost = await deployFunction(nodes.a, game.secretKey)
  const stack = opened.move()

  return {
    game,
    functionsHost,
    nodes,
    logged,
    s3,
    smtp,
    /** Fills the disk of `DISK_NODE`; returns a function that frees it. */
    async fillDisk() {
      const filler = join(folder, DISK_NODE, 'filler')
      await writeFile(filler, Buffer.alloc(DISK_MEGABYTES * 1024 * 1024)).catch(() => {})
      return () => rm(filler)
    },
    kill: (name: NodeName) => end(nodes[name]),
    async start(name: NodeName, variables?: Record<string, string>) {
      nodes[name] = await start(name, variables)
    },
    /** This Redis stores nothing on disk, so all shared state of the nodes is lost. */
    async restartRedis() {
      await redis.stop()
      redis = await startRedis({ port: redisPort })
    },
    async flushRedis() {
      const client = createClient({ url: redisUrl })
      await client.connect()
      await client.flushAll()
      client.destroy()
    },
    /** PostgreSQL ends all connections and recovers when one of its processes was killed. */
    crashPostgres: () => killAll(descendantsOf(postgres.pid)),
    /** Kills processes that a node has started, by a part of their command line. */
    killProcesses: (name: NodeName, part: string) =>
      killAll(descendantsOf(nodes[name].pid).filter((pid) => commandLineOf(pid).includes(part))),
    stop: () => stack.disposeAsync(),
  }
}

async function deployFunction(node: ServerProcess, key: string): Promise<string> {
  const call = setUpCallerOf(node)
  await call('POST', '/v1/admin/functions/enable', { key, body: {} })
  const answer = await fetch(`http://127.0.0.1:${node.port}/v1/admin/functions/deployments`, {
    method: 'POST',
    headers: { 'x-svc-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(deploymentNamed('v1')),
  })
  const { url } = (await answer.json()) as { url: string }
  assert.equal(answer.status, 201)
  const body = { sql: 'CREATE TABLE numbers (i INTEGER PRIMARY KEY)' }
  await call('POST', '/v1/admin/functions/db/DB/query', { key, body })
  return new URL(url).host
}

function killAll(pids: number[]) {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
}

/** A small file system in memory on this folder. */
function mountSmallDisk(folder: string) {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m,mode=700`, 'tmpfs', folder])
  return () => void execFileSync('umount', ['--lazy', folder])
}
