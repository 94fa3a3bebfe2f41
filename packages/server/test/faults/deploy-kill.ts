import { randomInt } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { startPostgres } from '../../../../scripts/services.ts'
import { createMovableClock, DAY_MS } from '../../src/platform/clock.ts'
import { openService } from '../../src/service.ts'
import { readSettings } from '../../src/settings.ts'
import { s3Credentials, startS3Server } from '../../src/testing/s3-server.ts'
import { type ServerProcess, setUpCallerOf, startServer } from '../server-process.ts'
import {
  type App,
  type AckLog,
  type Client,
  createClient,
  emptyAckLog,
  newApp,
  sha256Of,
  siteOf,
  type Step,
  STEPS,
  Unexpected,
} from './deployer.ts'

/**
 * Runs kill -9 while a client deploys, at a random moment of each step in turn, repeatedly on the same data:
 *
 *     node --conditions=source packages/server/test/faults/deploy-kill.ts --kills 40 --database postgres --blobs s3
 */
export type Engines = { databaseUrl?: string | undefined; hasS3?: boolean }

export type DeployTally = {
  kills: Partial<Record<Step, number>>
  acknowledged: number
  /** Number of acknowledged responses, versions or files that were lost. */
  lost: number
  /** Visits whose response did not come completely from the active version. */
  incomplete: number
  visits: number
  finished: number
  /** Partial files and unused blobs that the kills left, before and after a sweep. */
  leftBefore: number
  leftAfter: number
  slowestStartMs: number
}

/** Approximate duration of a step. */
const STEP_MS: Record<Step, number> = { create: 8, upload: 60, finalize: 8, activate: 8, 'roll back': 8 }

export async function deployKills(kills: number, engines: Engines): Promise<DeployTally> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-deploy-kill-'))
  const s3 = engines.hasS3 ? await startS3Server() : undefined
  const variables = {
    SVC_DATA_DIR: dataDir,
    SVC_RATE_LIMITS: 'off',
    ...(engines.databaseUrl && { DATABASE_URL: engines.databaseUrl }),
    ...(s3 && {
      SVC_BLOBS_URL: s3.url,
      AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    }),
  }
  const tally = emptyTally()
  const ackLog = emptyAckLog()
  let server: ServerProcess | undefined
  try {
    server = await startServer(variables)
    const app = await newApp(setUpCallerOf(server))
    for (let kill = 0; kill < kills; kill++) {
      await deployUntilKilled(server, app, ackLog, kill)
      tally.kills[ackLog.step] = (tally.kills[ackLog.step] ?? 0) + 1
      const startedAt = performance.now()
      server = await startServer(variables)
      tally.slowestStartMs = Math.max(tally.slowestStartMs, performance.now() - startedAt)
      await verifyAfterRestart(createClient(server, app, ackLog), ackLog, tally, kill)
    }
    await end(server)
    await sweep(variables, tally)
    tally.acknowledged = ackLog.acknowledged
    return tally
  } finally {
    if (server) await end(server)
    await s3?.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const emptyTally = (): DeployTally => ({
  kills: {},
  acknowledged: 0,
  lost: 0,
  incomplete: 0,
  visits: 0,
  finished: 0,
  leftBefore: 0,
  leftAfter: 0,
  slowestStartMs: 0,
})

async function end(server: ServerProcess) {
  server.signal('SIGKILL')
  await server.ended
}

async function deployUntilKilled(server: ServerProcess, app: App, ackLog: AckLog, kill: number) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const target = STEPS[kill % STEPS.length] ?? 'create'
  const client = createClient(server, app, ackLog, (step) => step === target && reach())
  const deploying = (async () => {
    for (let round = 0; ; round++) await client.deploy(`kill ${kill} round ${round}`, round)
  })().catch((error: unknown) => error)
  await Promise.race([reached, deploying])
  await sleep(randomInt(STEP_MS[target]))
  await end(server)
  const stopped = await deploying
  if (stopped instanceof Unexpected) throw stopped
}

/** Checks that everything acknowledged exists; then finishes an unfinished deployment or creates it again. */
async function verifyAfterRestart(client: Client, ackLog: AckLog, tally: DeployTally, kill: number) {
  const { live } = await client.ask('GET', '/v1/hosting')
  const version = (live?.version ?? null) as number | null
  if (version !== ackLog.live && version !== ackLog.requestedLive) tally.lost++
  Object.assign(ackLog, { live: version, requestedLive: null })
  const listed = (await client.ask('GET', '/v1/deployments?limit=100')).deployments as {
    version: number
    status: string
    live: boolean
  }[]
  for (const [number, known] of ackLog.versions) {
    const found = listed.find((deployment) => deployment.version === number)
    if (!found || (known.isFinalized && found.status !== 'finalized')) tally.lost++
    // A version that is finalized now can be activated, even if its response was lost.
    known.isFinalized = found?.status === 'finalized'
  }
  await visitAll(client, ackLog, tally)

  const unfinished = [...ackLog.versions].findLast(([, { isFinalized }]) => !isFinalized)
  if (!unfinished) return
  const [number, { mark }] = unfinished
  const createsAgain = kill % 2 === 0
  const deployment = createsAgain
    ? await client.create(mark)
    : { version: number, missing: await missingOf(client, number) }
  tally.lost += deployment.missing.filter((sha256) => ackLog.blobs.has(sha256)).length
  await client.uploadAll(mark, deployment.missing)
  await client.finish(deployment.version, { activate: true })
  ackLog.versions.delete(createsAgain ? number : -1)
  tally.finished++
  await visitAll(client, ackLog, tally)
}

async function missingOf(client: Client, version: number): Promise<string[]> {
  const { error } = await client.ask('POST', `/v1/deployments/${version}/finalize`, {}, [200, 409])
  return error?.details.missing ?? []
}

async function visitAll({ visit }: Client, { live, versions }: AckLog, tally: DeployTally) {
  if (live === null) return
  const mark = versions.get(live)?.mark ?? ''
  for (const [path, bytes] of siteOf(mark)) {
    const answer = await visit(`/${path}`)
    tally.visits++
    if (answer.status !== 200 || sha256Of(answer.bytes) !== sha256Of(bytes)) tally.incomplete++
  }
}

/** Two days later the store must contain exactly the blobs that deployments refer to. */
async function sweep(variables: Record<string, string>, tally: DeployTally) {
  const incoming = join(variables['SVC_DATA_DIR'] ?? '', 'blobs', '~incoming')
  const partialFiles = await readdir(incoming)
  for (const name of partialFiles) await utimes(join(incoming, name), 0, 0)
  const clock = createMovableClock()
  clock.advance(2 * DAY_MS)
  const service = await openService(readSettings({ ...variables, LOG_LEVEL: 'silent', TURN_PORT: '0' }), {
    clock,
  })
  try {
    const unused = async () => {
      const rows = await service.db.search((q) =>
        q.selectFrom('hosting_blobs').select(['key', 'sha256', 'state']),
      )
      const manifests = await service.db.search((q) => q.selectFrom('hosting_deployments').select('files'))
      const named = new Set(manifests.flatMap(({ files }) => files.match(/[0-9a-f]{64}/g) ?? []))
      const used = new Set(
        rows.filter(({ sha256, state }) => state === 'stored' && named.has(sha256)).map(({ key }) => key),
      )
      const stored = await Array.fromAsync(service.blobs.list(''))
      const isUsed = (key: string) => used.has(key.replace(/\.(?:br|gz)$/, ''))
      return stored.filter((key) => !isUsed(key)).length + rows.filter(({ key }) => !used.has(key)).length
    }
    tally.leftBefore = partialFiles.length + (await unused())
    await service.hosting.sweep()
    tally.leftAfter = (await readdir(incoming)).length + (await unused())
  } finally {
    await service.close()
  }
}

export const deploySentence = (what: string, tally: DeployTally): string =>
  `kill -9, deployments on ${what}: killed in ${Object.entries(tally.kills)
    .map(([step, count]) => `${step} ${count}`)
    .join(
      ', ',
    )}; ${tally.acknowledged} acknowledged, ${tally.lost} lost; ${tally.visits} visits, ${tally.incomplete} not whole; ` +
  `${tally.finished} finished later; ${tally.leftBefore} leftovers, ${tally.leftAfter} after a sweep; ` +
  `started again within ${Math.ceil(tally.slowestStartMs)} ms`

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '30' },
      database: { type: 'string', default: 'sqlite' },
      blobs: { type: 'string', default: 'files' },
    },
  })
  const postgres = values.database === 'postgres' ? await startPostgres() : undefined
  try {
    const engines = { databaseUrl: postgres?.url, hasS3: values.blobs === 's3' }
    const tally = await deployKills(Number(values.kills), engines)
    console.log(deploySentence(`${values.database} and ${values.blobs}`, tally))
    process.exitCode = tally.lost + tally.incomplete + tally.leftAfter > 0 ? 1 : 0
  } finally {
    await postgres?.stop()
  }
}
