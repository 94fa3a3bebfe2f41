import type { RoomTurn } from '@svc/contract/realtime/code-rooms'

import type { Change } from '../../../json-patch.ts'
import { Icon } from '../../../ui/icon.tsx'
import { WarningIcon } from '../../../ui/icons.ts'
import { Avatar, Card, Name } from '../../../ui/parts.tsx'
import type { Changes } from './recording.ts'
import { allChanges, type Names, notableEvents, pathText, shortJson, wordsOf } from './turn-words.ts'

type Props = { turn: RoomTurn | undefined; changes: Changes; names: Names }

const CHANGES_SHOWN_MAX = 100

/** What the code got in a turn, the errors it threw, and what it changed. */
export function TurnEvents({ turn, changes, names }: Props) {
  const events = turn ? notableEvents(turn) : []
  const errors = turn?.errors ?? []
  const changed = allChanges(changes)
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
          {changed.slice(0, CHANGES_SHOWN_MAX).map(({ playerId, change }, at) => (
            <ChangedLine key={at} playerId={playerId} change={change} names={names} />
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

type ChangedProps = { playerId: string | null; change: Change; names: Names }

const ChangedLine = ({ playerId, change: { path, before, after }, names }: ChangedProps) => (
  <li>
    <span class="grow stack tight">
      <code class="log-text" title={path.join('.')}>
        {playerId !== null && `${names.get(playerId) ?? playerId}: `}
        {pathText(path, names)}
      </code>
      <span class="tiny soft mono log-text">
        {before === undefined ? (
          <>
            <span class="visually-hidden">added: </span>
            <ins>{shortJson(after)}</ins>
          </>
        ) : after === undefined ? (
          <>
            <span class="visually-hidden">removed: </span>
            <del>{shortJson(before)}</del>
          </>
        ) : (
          <>
            {shortJson(before)} <span aria-hidden="true">→</span>
            <span class="visually-hidden">became</span> <ins>{shortJson(after)}</ins>
          </>
        )}
      </span>
    </span>
  </li>
)
