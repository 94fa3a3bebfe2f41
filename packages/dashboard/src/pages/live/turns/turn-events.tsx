import type { RoomTurn } from '@svc/contract/realtime/code-rooms'

import type { Change } from '../../../json-patch.ts'
import { Icon } from '../../../ui/icon.tsx'
import { WarningIcon } from '../../../ui/icons.ts'
import { Avatar, Card, Name } from '../../../ui/parts.tsx'
import { type changesIn, notableEvents, wordsOf } from './recording.ts'

type Names = ReadonlyMap<string, string>
type Props = { turn: RoomTurn | undefined; changes: ReturnType<typeof changesIn>; names: Names }

const CHANGES_SHOWN_MAX = 100

/** What the code got in a turn, the errors it threw, and what it changed. */
export function TurnEvents({ turn, changes, names }: Props) {
  const events = turn ? notableEvents(turn) : []
  const errors = turn?.errors ?? []
  const changed = [
    ...changes.state.map((change) => ({ whose: '', change })),
    ...Object.entries(changes.own).flatMap(([id, own]) =>
      own.map((change) => ({ whose: `${names.get(id) ?? id}: `, change })),
    ),
  ]
  return (
    <div class="stack turn-side">
      {errors.map((message, at) => (
        <div key={at} class="notice-error">
          <Icon of={WarningIcon} size={18} />
          <div class="grow stack">
            <strong>The code threw an error</strong>
            <code class="log-text">{message}</code>
          </div>
        </div>
      ))}
      <Card title="What came in" pad={false}>
        <ul class="changes turn-events">
          {events.length === 0 && <li class="faint">Only time passed</li>}
          {events.map((event, at) => (
            <Event key={at} event={event} names={names} />
          ))}
        </ul>
      </Card>
      <Card title="What changed" pad={false}>
        <ul class="changes turn-changes">
          {changed.length === 0 && <li class="faint">Nothing</li>}
          {changed.slice(0, CHANGES_SHOWN_MAX).map(({ whose, change }, at) => (
            <ChangedLine key={at} whose={whose} change={change} />
          ))}
          {changed.length > CHANGES_SHOWN_MAX && (
            <li class="faint">… and {changed.length - CHANGES_SHOWN_MAX} more</li>
          )}
        </ul>
      </Card>
    </div>
  )
}

function Event({ event, names }: { event: unknown; names: Names }) {
  const { playerId, text, type, data } = wordsOf(event)
  const name = playerId === null ? null : (names.get(playerId) ?? playerId)
  return (
    <li>
      {playerId !== null && <Avatar name={name ?? ''} id={playerId} />}
      <span class="grow stack tight">
        <span>
          {name !== null && (
            <>
              <Name>{name}</Name>{' '}
            </>
          )}
          <bdi class={name === null ? '' : 'soft'}>{text}</bdi>
          {type !== undefined && (
            <>
              {' '}
              <code>{type}</code>
            </>
          )}
        </span>
        {data !== undefined && <code class="log-text tiny">{JSON.stringify(data)}</code>}
      </span>
    </li>
  )
}

const ChangedLine = ({ whose, change: { path, before, after } }: { whose: string; change: Change }) => (
  <li>
    <span class="grow stack tight">
      <code class="log-text">
        {whose}
        {path.length === 0 ? '(all)' : path.join('.')}
      </code>
      <span class="tiny soft mono log-text">
        {before === undefined ? (
          <>
            <span class="visually-hidden">added: </span>
            <ins>{shown(after)}</ins>
          </>
        ) : after === undefined ? (
          <>
            <span class="visually-hidden">removed: </span>
            <del>{shown(before)}</del>
          </>
        ) : (
          <>
            {shown(before)} <span aria-hidden="true">→</span>
            <span class="visually-hidden">became</span> <ins>{shown(after)}</ins>
          </>
        )}
      </span>
    </span>
  </li>
)

const SHOWN_LENGTH_MAX = 120

function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text
}
