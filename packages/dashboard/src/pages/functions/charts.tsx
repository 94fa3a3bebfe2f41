import type { ResponseOf } from '../../developer.ts'
import { counted, number } from '../../format.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { LineChart } from '../../ui/line-chart.tsx'
import { Card } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

const EVERY_MS = 15_000
const MINUTES = 60

type Minutes = ResponseOf<'readFunctionSeries'>['minutes']

/** Requests, errors and CPU time of the last hour. */
export function Charts({ route }: { route: Route }) {
  const answer = useCall(
    'readFunctionSeries',
    { params: route.params, query: { minutes: MINUTES } },
    { everyMs: EVERY_MS },
  )
  return (
    <Loaded answer={answer} lines={6} inCard>
      {({ minutes }) => <BothCharts minutes={isCollected(minutes.at(-1)) ? minutes : minutes.slice(0, -1)} />}
    </Loaded>
  )
}

/** The service collects figures once a minute: of the current one there may be none yet. */
const isCollected = (minute: Minutes[number] | undefined) =>
  minute !== undefined && minute.requests + minute.errors + minute.cpuMs > 0

function BothCharts({ minutes }: { minutes: Minutes }) {
  const sum = (valueOf: (minute: Minutes[number]) => number) =>
    minutes.reduce((total, minute) => total + valueOf(minute), 0)
  const [requests, errors, cpuMs] = [
    sum((minute) => minute.requests),
    sum((minute) => minute.errors),
    sum((minute) => minute.cpuMs),
  ]
  if (requests + errors + cpuMs === 0) return null
  const seconds = minutes.map(({ at }) => Date.parse(at) / 1_000)
  return (
    <div class="one-one">
      <Card title="Requests per minute">
        <LineChart
          seconds={seconds}
          label={`${counted(requests, 'request', 'requests')} in the last hour, ${counted(errors, 'error', 'errors')}`}
          format={number}
          series={[
            { title: 'Requests', tone: 'bar', values: minutes.map((minute) => minute.requests) },
            { title: 'Errors', tone: 'bad', dash: [2, 2], values: minutes.map((minute) => minute.errors) },
          ]}
        />
      </Card>
      <Card title="CPU time per minute">
        <LineChart
          seconds={seconds}
          label={`${number(cpuMs)} ms of CPU time in the last hour`}
          format={(value) => `${number(value)} ms`}
          series={[{ title: 'CPU time', tone: 'bar', values: minutes.map((minute) => minute.cpuMs) }]}
        />
      </Card>
    </div>
  )
}
