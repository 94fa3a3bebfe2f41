import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

import { freePort } from '../../../../scripts/free-port.ts'
import { ALERTS } from '../../../../scripts/monitoring/alerts.ts'
import { expressions, grafanaDashboard } from '../../../../scripts/monitoring/files.ts'
import { findOrInstall } from '../../../../scripts/programs.ts'
import { METRICS } from '../../src/platform/metrics/table.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { runs } from '../../src/testing/runs.ts'
import { startService } from '../../src/testing/service.ts'
import { portOf } from '../../src/testing/sockets.ts'

const RULES = join(import.meta.dirname, '../../../../docs/operations/alerts.yml')

type Grid = { x: number; y: number; w: number; h: number }
type DashboardPanel = { id: number; type: string; title: string; gridPos: Grid; targets?: { expr: string }[] }

test('[OPS-42] the panels of the dashboard have ids of their own, a place of their own, and queries', () => {
  const { panels } = JSON.parse(grafanaDashboard()) as { panels: DashboardPanel[] }
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = new Set<string>()
  for (const { title, type, targets, gridPos } of panels) {
    const { x, y, w, h } = gridPos
    assert.ok(x >= 0 && x + w <= 24, title)
    for (let column = x; column < x + w; column++)
      for (let line = y; line < y + h; line++) {
        assert.ok(!cells.has(`${column} ${line}`), `${title} covers another panel`)
        cells.add(`${column} ${line}`)
      }
    if (type === 'row') continue
    assert.ok(targets && targets.length > 0, title)
    for (const { expr } of targets) assert.match(expr, /job=~"\$job",instance=~"\$instance"/)
  }
})

test('[OPS-42] rates are those of counters and histograms, and counters appear only in rates', () => {
  const types = METRICS as Record<string, { type: string } | undefined>
  for (const expr of expressions()) {
    const inRates = [...expr.matchAll(/\b(?:rate|increase)\((\w+)/g)].map(([, name = '']) => name)
    for (const name of inRates) {
      const type = (types[name] ?? types[name.replace(/_bucket$/, '')])?.type
      assert.ok(type === 'counter' || type === 'histogram', expr)
    }
    const counters = [...expr.matchAll(/\b\w+_total\b/g)].map(([name]) => name)
    assert.deepEqual(
      counters,
      inRates.filter((name) => name.endsWith('_total')),
      expr,
    )
  }
})

test('[OPS-42] every alert has a name of its own and says in one sentence what to do', () => {
  assert.equal(new Set(ALERTS.map(({ name }) => name)).size, ALERTS.length)
  for (const { name, todo, summary } of ALERTS) {
    assert.match(name, /^Svc[A-Z]\w+$/)
    assert.match(todo, /^[A-Z].*[^.]\.$/, name)
    assert.match(summary, /^[A-Z].*[^.]$/, name)
  }
})

// In the long form: Prometheus is a package of 17 MB.
for (const name of runs(
  [],
  ['[OPS-42] Prometheus accepts the rules and every expression, and finds the service'],
))
  test(name, async (t) => {
    const prometheus = findOrInstall('prometheus')[0]
    const promtool = join(dirname(prometheus), 'promtool')
    const folder = await mkdtemp(join(tmpdir(), 'svc-prometheus-'))
    const service = await startService('sqlite')
    await service.newProject()
    await writeFile(join(folder, 'alerts.yml'), await readFile(RULES))
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['alerts.yml'],
      scrape_configs: [
        { job_name: 'svc', static_configs: [{ targets: [`127.0.0.1:${await portOf(service)}`] }] },
      ],
    }
    await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config))
    execFileSync(promtool, ['check', 'config', join(folder, 'prometheus.yml')])
    execFileSync(promtool, ['check', 'metrics'], { input: (await service.call('GET', '/metrics')).body })

    const port = await freePort()
    const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
    const child = spawn(prometheus, [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
    child.on('error', () => {})
    t.after(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await service.stop()
      await rm(folder, { recursive: true })
    })
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined)
      // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not so
      return (await answer?.json().catch(() => undefined)) as any
    }
    const query = (expr: string) => ask(`query?query=${encodeURIComponent(expr)}`)
    await comesTrue(
      'the service was read',
      async () => (await query('up'))?.data?.result[0]?.value[1] === '1',
    )
    for (const expr of expressions()) assert.equal((await query(expr)).status, 'success', expr)
    assert.equal((await query('svc_build_info')).data.result.length, 1)
    await comesTrue('the rules were evaluated', async () => {
      const [group] = (await ask('rules')).data.groups
      return group.rules.every(({ health }: { health: string }) => health === 'ok')
    })
  })
