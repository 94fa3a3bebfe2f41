import type { FunctionLogLine } from '@svc/contract/functions'

import { clockTime } from '../../format.ts'
import { useCall } from '../../queries.ts'
import type { Route, Query } from '../../route.ts'
import { Card, Chip, Copy, Segments, Time, type Tone } from '../../ui/parts.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'
import { useSourcePositions } from './source-positions.ts'

const EVERY_MS = 2_000
const LINES = 100
const LEVELS = [
  { id: 'debug', title: 'All' },
  { id: 'warn', title: 'Warnings' },
  { id: 'error', title: 'Errors' },
] as const
const TONES: Partial<Record<FunctionLogLine['level'], Tone>> = { error: 'bad', warn: 'warn' }

/** What the code has written with `console`, and its errors, newest first. Search and level are in the address. */
export function Lines({ route }: { route: Route }) {
  const level = LEVELS.find(({ id }) => id === route.query['level'])?.id ?? 'debug'
  const q = route.query['q'] ?? ''
  const change = (changed: Query) =>
    route.go('functions', route.id, { ...route.query, ...changed }, { replace: true })
  const answer = useCall(
    'readFunctionLogs',
    { params: route.params, query: { limit: LINES, level, ...(q && { q }) } },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  const textOf = useSourcePositions(route, answer.data?.lines ?? [])
  return (
    <Card title="Log" pad={false}>
      <div class="card-part">
        <div class="row wrap log-tools">
          <Segments
            label="Level"
            items={LEVELS}
            chosen={level}
            choose={(id) => change({ level: id === 'debug' ? undefined : id })}
          />
          <SearchInput
            value={q}
            label="Search the log by text, request ID or room ID"
            placeholder="Text, request ID or room ID"
            onChange={(text) => change({ q: text })}
          />
        </div>
        <Loaded answer={answer} lines={4}>
          {({ lines }) =>
            lines.length === 0 ? (
              <div class="card-body">
                <p class="soft">{q || level !== 'debug' ? 'No matching lines.' : 'No log lines yet.'}</p>
              </div>
            ) : (
              <table class="table function-log">
                <TableHead columns={['Time', 'Level', 'Line']} />
                <tbody>
                  {lines.toReversed().map((line) => (
                    <Line key={line.id} line={line} text={textOf(line)} />
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </div>
    </Card>
  )
}

const Line = ({ line: { at, level, requestId }, text }: { line: FunctionLogLine; text: string }) => (
  <tr>
    <td class="soft tabular">
      <Time iso={at}>{clockTime(Date.parse(at))}</Time>
    </td>
    <td>
      <Chip tone={TONES[level] ?? 'neutral'}>{level}</Chip>
    </td>
    <td>
      <code class="log-text">{text}</code>
      {requestId && (
        <Copy text={requestId} label="Copy request ID">
          <code class="tiny faint cut">{requestId}</code>
        </Copy>
      )}
    </td>
  </tr>
)
