import { METRICS } from '../../packages/server/src/platform/metrics/table.ts'
import { type Alert, ALERTS } from './alerts.ts'
import { type Panel, ROWS } from './description.ts'

/** The files of docs/operations, made from the description. */

/** The metrics that an expression uses, without the suffixes of histograms. */
export const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:svc|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    name in METRICS ? name : name.replace(/_(?:bucket|sum|count)$/, ''),
  )

/** Every expression, with the variables of Grafana replaced by values. */
export const expressions = (): string[] => [
  ...ROWS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))).map(
    (expr) => expr.replaceAll('$__rate_interval', '1m'),
  ),
  ...ALERTS.map(({ expr }) => expr),
]

// The dashboard

const COLUMNS = 24
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }
const SELECTOR = 'job=~"$job",instance=~"$instance"'

/** Only the nodes that are chosen at the top of the dashboard. */
const selected = (expr: string): string =>
  expr.replaceAll(/\b((?:svc|process|nodejs)_[a-z0-9_]+)(\{)?/g, (_, name: string, brace?: string) =>
    brace === undefined ? `${name}{${SELECTOR}}` : `${name}{${SELECTOR},`,
  )

/** A dashboard for Grafana 10 and newer. */
export function grafanaDashboard(): string {
  let id = 0
  let y = 0
  const panels: object[] = []
  for (const { title, panels: ofRow } of ROWS) {
    panels.push({
      id: ++id,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { h: 1, w: COLUMNS, x: 0, y: y++ },
      panels: [],
    })
    const isStats = ofRow.every(({ stat }) => stat !== undefined)
    const w = isStats ? 4 : ofRow.length % 3 === 0 || ofRow.length > 4 ? 8 : 12
    const h = isStats ? 4 : 8
    ofRow.forEach((one, index) => {
      const x = (index * w) % COLUMNS
      panels.push({
        id: ++id,
        gridPos: { h, w, x, y: y + Math.floor((index * w) / COLUMNS) * h },
        ...grafanaPanel(one),
      })
    })
    y += Math.ceil((ofRow.length * w) / COLUMNS) * h
  }
  const dashboard = {
    uid: 'svc-service',
    title: 'svc',
    tags: ['svc'],
    description: 'One service with all its nodes. Written by `npm run generate`.',
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: variables() },
    annotations: { list: [restarts()] },
    panels,
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

function grafanaPanel({ title, about, unit, queries, stat, isStacked }: Panel): object {
  const { green = 0, orange, red = Infinity } = stat ?? {}
  const isRedFirst = red < green
  const steps = [
    { color: isRedFirst ? 'red' : 'green', value: null },
    ...(isRedFirst ? [{ color: 'green', value: green }] : []),
    ...(orange === undefined ? [] : [{ color: 'orange', value: orange }]),
    ...(isRedFirst || red === Infinity ? [] : [{ color: 'red', value: red }]),
  ]
  return {
    type: stat ? 'stat' : 'timeseries',
    title,
    description: about,
    datasource: DATASOURCE,
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: DATASOURCE,
      expr: selected(expr),
      legendFormat: legend,
    })),
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(stat
          ? { color: { mode: 'thresholds' }, thresholds: { mode: 'absolute', steps } }
          : {
              color: { mode: 'palette-classic' },
              custom: {
                lineWidth: 1,
                fillOpacity: isStacked ? 30 : 8,
                gradientMode: 'opacity',
                showPoints: 'never',
                spanNulls: true,
                stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
              },
            }),
      },
      overrides: [],
    },
    options: stat
      ? {
          colorMode: 'value',
          graphMode: 'area',
          reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        }
      : {
          legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
          tooltip: { mode: 'multi', sort: 'desc' },
        },
  }
}

function variables(): object[] {
  const ofLabel = (name: string, label: string, query: string) => ({
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    query: { query, refId: name },
    definition: query,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    current: { text: ['All'], value: ['$__all'] },
  })
  return [
    { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
    ofLabel('job', 'Service', 'label_values(svc_build_info, job)'),
    ofLabel('instance', 'Node', 'label_values(svc_build_info{job=~"$job"}, instance)'),
  ]
}

const restarts = () => ({
  name: 'Restarts',
  datasource: DATASOURCE,
  enable: true,
  iconColor: 'blue',
  expr: `changes(process_start_time_seconds{${SELECTOR}}[2m]) > 0`,
  titleFormat: 'Restart of {{instance}}',
})

// The alerts

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Rules for Prometheus. */
export const alertRules = (): string =>
  [
    '# Written by `npm run generate`; do not edit.',
    'groups:',
    '  - name: svc',
    '    rules:',
    ...ALERTS.flatMap(({ name, expr, for: wait, severity, summary, todo }) => [
      `      - alert: ${name}`,
      `        expr: ${quoted(expr)}`,
      `        for: ${wait}`,
      '        labels:',
      `          severity: ${severity}`,
      '        annotations:',
      `          summary: ${quoted(hasInstance(expr) ? `${summary}: {{ $labels.instance }}` : summary)}`,
      `          todo: ${quoted(todo)}`,
    ]),
    '',
  ].join('\n')

/** Sums over all nodes have no instance. */
const hasInstance = (expr: string) => !/^(?:sum|max|min|count) by \(job\)/.test(expr)

// The page of the docs

type Table = (head: string[], rows: string[][]) => string

/** The sections of docs/metrics.md. */
export const metricsSections = (table: Table): string[] => [
  'The service reports these metrics at `GET /metrics`. Labels never contain an id, a name or an address. With several nodes every node reports its own. A metric is missing while its part is off or was not used yet. [Monitoring](guide/monitoring.md) says how to use them.',
  '## Metrics',
  table(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    Object.entries(METRICS).map(([name, { type, help, labels = [] }]) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(', '),
      help,
    ]),
  ),
  '## Alerts',
  'The rules of [operations/alerts.yml](operations/alerts.yml). `page`: act now. `ticket`: act in the next days.',
  table(
    ['Alert', 'Severity', 'After', 'Meaning', 'What to do'],
    ALERTS.map((alert: Alert) => [alert.name, alert.severity, alert.for, alert.summary, alert.todo]),
  ),
]
