import {
  createLedger,
  createLedgerStore,
  createMeter,
  createUsageStore,
} from '../../packages/server/src/capabilities/money/index.ts'
import { HOUR_MS, systemClock } from '../../packages/server/src/platform/clock.ts'
import { createIds, systemRandom } from '../../packages/server/src/platform/random.ts'
import { openService } from '../../packages/server/src/service.ts'
import { readSettings } from '../../packages/server/src/settings.ts'
import type { Entry } from '../harness.ts'
import { startLoad } from '../load.ts'
import type { Metrics } from '../metrics.ts'
import { freePort, freshFolder } from '../processes.ts'
import { seedSaves } from '../targets/saves.ts'

const DEVELOPERS = 10_000
const ENVIRONMENTS = 1_000
const NOTES = 2_000_000
const PREPAID_CENTS = 100_000_000
/** A cent of relayed voice. */
const MINUTES_PER_CENT = 20
const QUIET = 'saves only'

export async function moneyEntries(
  opened: AsyncDisposableStack,
  { connections }: { connections: number },
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const { service, port } = await startInThisProcess(opened)
  const saves = await seedSaves({ port })
  const target = { port, pid: process.pid, databases: [] }
  const addUsage = await seedDevelopers(service)

  return [
    {
      name: 'money noteUsage',
      about: 'A thousand calls of noteUsage, a thousand environments in turn.',
      comparedMetric: 'cpuMicros',
      baselines: [],
      lines: [
        {
          name: 'svc',
          measure: () => Promise.resolve(noteUsage()),
          goals: [{ number: 10, metric: 'cpuMicros', atMost: 0.5 }],
        },
      ],
    },
    {
      name: 'money charge',
      about:
        'The hourly job charges 10,000 developers on SQLite (wall ms), while save writes are measured in the same process.',
      comparedMetric: 'p99Ms',
      baselines: [QUIET],
      lines: [
        { name: QUIET, measure: (ms) => load(target, saves.write, ms) },
        {
          name: 'saves while 10,000 developers are charged',
          async measure(ms) {
            await addUsage()
            const startedAt = performance.now()
            const charging = service.jobs.runNow(HOUR_MS).then(() => performance.now() - startedAt)
            const metrics = await load(target, saves.write, ms)
            return { ...metrics, wallMs: await charging }
          },
          goals: [
            { number: 10, metric: 'wallMs', atMost: 60_000 },
            { number: 10, baseline: QUIET, atMost: 1.2 },
          ],
        },
      ],
    },
  ]
}

function noteUsage(): Metrics {
  const meter = createMeter(
    { add: async () => {} },
    { clock: systemClock, ownerOf: async () => 'dev_1', reportLost: () => {} },
  )
  const ids = Array.from({ length: ENVIRONMENTS }, (_, i) => `env_${i.toString(36).padStart(26, '0')}`)
  const before = process.cpuUsage()
  for (let i = 0; i < NOTES; i++) meter.note(ids[i % ENVIRONMENTS] ?? '', 'functions.requests', 1)
  const { user, system } = process.cpuUsage(before)
  return { cpuMicros: ((user + system) / NOTES) * 1_000 }
}

async function startInThisProcess(opened: AsyncDisposableStack) {
  const port = await freePort()
  const service = await openService(
    readSettings({
      SVC_DATA_DIR: freshFolder(),
      LOG_LEVEL: 'silent',
      SVC_RATE_LIMITS: 'off',
      SVC_SIGN_UP: 'open',
      TURN_PORT: '0',
      PORT: String(port),
    }),
  )
  opened.defer(service.close)
  await service.http.listen({ host: '127.0.0.1', port })
  return { service, port }
}

/** Developers with credit. Returns a function that adds usage of a cent to each. */
async function seedDevelopers({ db }: Awaited<ReturnType<typeof openService>>) {
  const ids = createIds(systemClock, systemRandom)
  const deps = { clock: systemClock, ids, noteChange: async () => {}, announce: () => {} }
  const ledger = createLedger(createLedgerStore(db), deps)
  const usage = createUsageStore(db)
  const developers = Array.from({ length: DEVELOPERS }, () => ids('dev'))
  for (let from = 0; from < DEVELOPERS; from += 100)
    await Promise.all(
      developers
        .slice(from, from + 100)
        .map((developerId) =>
          ledger.change(developerId, (book) =>
            book({ type: 'topup', cents: PREPAID_CENTS, reference: `seed:${developerId}`, description: '' }),
          ),
        ),
    )
  return async () => {
    const now = new Date().toISOString()
    const rows = developers.map((developerId) => ({
      developerId,
      environment: `env_${developerId}`,
      component: 'voice.relayMinutes',
      period: now.slice(0, 7),
      quantity: MINUTES_PER_CENT,
      updatedAt: now,
    }))
    for (let from = 0; from < rows.length; from += 500) await usage.add(rows.slice(from, from + 500))
  }
}
