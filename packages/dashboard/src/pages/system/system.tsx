import type { SystemEngine, SystemNode } from '@svc/contract/operator'
import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { bytes, counted, engineTitle, number } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { DoneIcon, SystemIcon, WarningIcon } from '../../ui/icons.ts'
import { LineChart } from '../../ui/line-chart.tsx'
import { LiveState } from '../../ui/live-dot.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago, Card, Chip } from '../../ui/parts.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'
import { Backups } from './backups.tsx'
import { Developers } from './developers.tsx'
import { describeJob } from './job-words.ts'
import { OperatorLog } from './operator-log.tsx'

const EVERY_MS = 5_000
const SERIES_EVERY_MS = 30_000
const MINUTES = 60
/** Less free space than this is a problem. */
const FREE_BYTES_MIN = 1_073_741_824

type SystemState = ResponseOf<'readSystem'>

/** For operators: what is wrong first, then nodes, engines, work, storage, backups and accounts. */
export default function System() {
  const answer = useCall('readSystem', { query: {} }, { everyMs: EVERY_MS })
  if (answer.error?.code === 'operator_required')
    return (
      <Page title="System">
        <EmptyState inCard icon={SystemIcon} title="For operators only">
          {answer.error.message}
        </EmptyState>
      </Page>
    )
  return (
    <Page
      title="System"
      beside={
        <LiveState isOff={answer.error !== null}>
          {answer.error ? 'Not responding, retrying' : 'Every 5 s'}
        </LiveState>
      }
    >
      <Loaded answer={answer} lines={10} inCard>
        {(state) => (
          <>
            <Problems state={state} />
            <Nodes nodes={state.nodes} />
            <NodeCharts />
            <div class="one-one">
              <Engines engines={state.engines} />
              <Work state={state} />
            </div>
          </>
        )}
      </Loaded>
      <div class="one-one">
        <Backups />
        <Developers />
      </div>
      <OperatorLog />
    </Page>
  )
}

function problemsOf({ engines, mail, jobs, storage, nodes }: SystemState): string[] {
  const versions = new Set(nodes.map(({ version }) => version))
  return [
    ...engines
      .filter(({ ok }) => !ok)
      .map(({ name, kind }) => `${engineTitle(name)} (${kind}) is not responding.`),
    ...jobs.flatMap(({ name, lastError }) =>
      lastError === null ? [] : [`${describeJob(name)} failed: ${lastError}`],
    ),
    ...(mail.failed > 0 ? [`${counted(mail.failed, 'email was', 'emails were')} not delivered.`] : []),
    ...(storage.freeBytes < FREE_BYTES_MIN ? [`Only ${bytes(storage.freeBytes)} of disk space left.`] : []),
    ...(versions.size > 1 ? [`Nodes run different versions: ${[...versions].join(', ')}.`] : []),
  ]
}

function Problems({ state }: { state: SystemState }) {
  const problems = problemsOf(state)
  if (problems.length === 0)
    return (
      <p class="row system-good">
        <Icon of={DoneIcon} class="is-good" /> All systems OK.
      </p>
    )
  return (
    <section class="card problems" aria-label="Problems">
      <h2>{counted(problems.length, 'problem', 'problems')}</h2>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>
            <Icon of={WarningIcon} class="is-bad" />
            <span>{problem}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Nodes = ({ nodes }: { nodes: readonly SystemNode[] }) => (
  <Card title="Nodes" pad={false}>
    <div class="card-part table-scroll" tabIndex={0} role="region" aria-label="Nodes">
      <table class="table">
        <TableHead
          columns={[
            'Node',
            ['CPU cores used', 'num'],
            ['Memory', 'num'],
            ['Connections', 'num'],
            ['Requests/min', 'num'],
            ['p95', 'num'],
            ['Event-loop p99', 'num'],
          ]}
        />
        <tbody>
          {nodes.map((node) => (
            <tr key={node.id}>
              <td>
                <span class="stack tight">
                  <code>{node.id}</code>
                  <span class="tiny faint">
                    svc {node.version}, since <Ago iso={node.startedAt} />
                  </span>
                </span>
              </td>
              <td class="num tabular">{node.cpu.toFixed(2)}</td>
              <td class="num tabular">{bytes(node.memoryBytes)}</td>
              <td class="num tabular">{number(node.connections)}</td>
              <td class="num tabular">
                {number(node.requests)}
                {node.failed > 0 && <span class="is-bad"> {number(node.failed)} failed</span>}
              </td>
              <td class="num tabular">{node.p95Ms === null ? '–' : `${number(node.p95Ms)} ms`}</td>
              <td class="num tabular">{node.eventLoopP99Ms.toFixed(1)} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Card>
)

function NodeCharts() {
  const answer = useCall('readSystemSeries', { query: { minutes: MINUTES } }, { everyMs: SERIES_EVERY_MS })
  // Nodes end their minutes at different moments; the sums of the whole service are by minute.
  const byMinute = new Map<number, { cpu: number; requests: number; failed: number }>()
  for (const { minutes } of answer.data?.nodes ?? [])
    for (const { at, cpu, requests, failed } of minutes) {
      const minute = Math.floor(Date.parse(at) / 60_000) * 60
      const sum = byMinute.get(minute) ?? { cpu: 0, requests: 0, failed: 0 }
      byMinute.set(minute, {
        cpu: sum.cpu + cpu,
        requests: sum.requests + requests,
        failed: sum.failed + failed,
      })
    }
  const rows = [...byMinute].toSorted(([a], [b]) => a - b)
  if (rows.length < 2) return null
  const seconds = rows.map(([minute]) => minute)
  return (
    <div class="one-one">
      <Card title="CPU">
        <LineChart
          seconds={seconds}
          label="CPU cores used by all nodes in the last hour"
          format={(value) => value.toFixed(1)}
          series={[{ title: 'CPU cores used', tone: 'bar', values: rows.map(([, { cpu }]) => cpu) }]}
        />
      </Card>
      <Card title="Requests per minute">
        <LineChart
          seconds={seconds}
          label="Requests on all nodes in the last hour"
          format={number}
          series={[
            { title: 'Requests', tone: 'bar', values: rows.map(([, { requests }]) => requests) },
            { title: 'Failed', tone: 'bad', dash: [2, 2], values: rows.map(([, { failed }]) => failed) },
          ]}
        />
      </Card>
    </div>
  )
}

function Engines({ engines }: { engines: readonly SystemEngine[] }) {
  const [checking, setChecking] = useState<string>()
  const check = useAction(
    async (engine: string) => {
      setChecking(engine)
      const { ok, ms, error } = await call('checkEngine', { params: { engine } })
      notify(
        ok
          ? `${engineTitle(engine)} responded after ${ms} ms.`
          : `${engineTitle(engine)} failed: ${error ?? 'no response'}`,
        { isError: !ok },
      )
    },
    notifyError,
    () => {
      setChecking(undefined)
      refresh('readSystem')
    },
  )
  return (
    <Card title="Engines" pad={false}>
      <ul class="changes">
        {engines.map(({ name, kind, ok }) => (
          <li key={name}>
            <span class="grow stack tight">
              <span>{engineTitle(name)}</span>
              <span class="tiny faint">{kind}</span>
            </span>
            <Chip tone={ok ? 'good' : 'bad'}>{ok ? 'OK' : 'Failing'}</Chip>
            <Button
              small
              busy={checking === name}
              label={`Check ${engineTitle(name)}`}
              onClick={() => check.run(name)}
            >
              Check
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const Work = ({ state: { mail, jobs, storage } }: { state: SystemState }) => (
  <Card title="Jobs and storage" pad={false}>
    <ul class="changes">
      <li>
        <span class="grow">Emails</span>
        <span class="small soft tabular">
          {number(mail.pending)} waiting, {number(mail.failed)} failed
        </span>
      </li>
      <li>
        <span class="grow">Database</span>
        <span class="small soft tabular">
          {storage.databaseBytes === null ? 'PostgreSQL' : bytes(storage.databaseBytes)}
        </span>
      </li>
      <li>
        <span class="grow">Free disk space</span>
        <span class="small soft tabular">{bytes(storage.freeBytes)}</span>
      </li>
      {jobs.map(({ name, slotAt, done, attempts, lastError }) => (
        <li key={name}>
          <span class="grow stack tight">
            <span title={name}>{describeJob(name)}</span>
            {lastError && <span class="tiny is-bad">{lastError}</span>}
          </span>
          {attempts > 1 && <span class="tiny faint">{attempts} attempts</span>}
          <span class="tiny faint">
            <Ago iso={slotAt} />
          </span>
          <Chip tone={lastError ? 'bad' : done ? 'good' : 'neutral'}>
            {lastError ? 'Failed' : done ? 'Done' : 'Due'}
          </Chip>
        </li>
      ))}
    </ul>
  </Card>
)
