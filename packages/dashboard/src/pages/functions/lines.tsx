import { useState } from 'preact/hooks'

import { clockTime } from '../../format.ts'
import type { Place } from '../../place.ts'
import { useCall } from '../../queries.ts'
import { Card, Segments } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'

const EVERY_MS = 2_000
const LINES = 100
const LEVELS = [
  { id: 'debug', title: 'All' },
  { id: 'warn', title: 'Warnings' },
  { id: 'error', title: 'Errors' },
] as const
type Level = (typeof LEVELS)[number]['id']

/** What the code has written with `console`, newest first. */
export function Lines({ here }: { here: Place }) {
  const [level, setLevel] = useState<Level>('debug')
  const answer = useCall(
    'readFunctionLogs',
    { params: here.params, query: { limit: LINES, level } },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  return (
    <Card
      title="Log"
      side={<Segments label="Level" items={LEVELS} chosen={level} choose={setLevel} />}
      pad={false}
    >
      <div class="card-part">
        <Loaded answer={answer} lines={4}>
          {({ lines }) =>
            lines.length === 0 ? (
              <div class="card-body">
                <p class="soft">Nothing was written yet.</p>
              </div>
            ) : (
              <table class="table">
                <TableHead columns={['Time', 'Line']} />
                <tbody>
                  {lines.toReversed().map(({ id, at, level: of, message }) => (
                    <tr key={id}>
                      <td class="soft tabular">{clockTime(Date.parse(at))}</td>
                      <td>
                        <code class={of === 'error' ? 'is-bad' : undefined}>{message}</code>
                      </td>
                    </tr>
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
