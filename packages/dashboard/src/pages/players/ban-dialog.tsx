import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field, Select, TextArea } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { BanIcon, LiveIcon, SignOutIcon } from '../../ui/icons.ts'

const REASON_LENGTH_MAX = 500
/** Hours by the id of the choice; without hours the ban lasts until somebody lifts it. */
const LENGTHS = [
  { id: 'until', title: 'Until you lift it' },
  { id: '1', title: '1 hour' },
  { id: '24', title: '1 day' },
  { id: '168', title: '7 days' },
  { id: '720', title: '30 days' },
] as const
const SUGGESTIONS = ['Cheating', 'Abusive behavior', 'Impossible scores', 'Spam']

type Props = {
  route: Route
  player: { id: string; displayName: string }
  room: { code: string } | null
  onClose: () => void
  onBanned: (revokedSessions: number) => void
}

/** Shows who will be banned, where, and with which effects. */
export function BanDialog({ route, player, room, onClose, onBanned }: Props) {
  const [reason, setReason] = useState('')
  const [length, setLength] = useState<string>('until')
  const left = REASON_LENGTH_MAX - Array.from(reason).length

  const ban = useAction(async () => {
    const params = { ...route.params, playerId: player.id }
    const body = reason.trim() ? { reason: reason.trim() } : {}
    const answer = await (length === 'until'
      ? call('banPlayer', { params, body })
      : call('banPlayerForTime', { params, body: { ...body, durationHours: Number(length) } }))
    onBanned(answer.player.revokedSessions)
  })

  return (
    <FormDialog
      route={route}
      title={
        <>
          Ban <bdi>{player.displayName}</bdi>?
        </>
      }
      label={`Ban ${player.displayName}`}
      about="Takes effect immediately. You can lift it at any time."
      submit={`Ban${inProduction(route)}`}
      isDanger
      disabled={left < 0}
      action={ban}
      onClose={onClose}
    >
      <ul class="effects">
        <li>
          <Icon of={SignOutIcon} /> The player is signed out everywhere
        </li>
        <li>
          <Icon of={LiveIcon} />
          {room ? (
            <span>
              The connection closes, and the player leaves room <code>{room.code}</code>
            </span>
          ) : (
            'Open connections close; the player is not in a room'
          )}
        </li>
        <li>
          <Icon of={BanIcon} /> Sign-ins and writes are rejected; saves and stats are kept
        </li>
      </ul>
      <TextArea
        label="Reason"
        hint="The player sees this and can appeal once."
        problem={left < 0 ? `${-left} characters too many` : undefined}
        side={<span class={`tiny tabular ${left < 0 ? 'is-bad' : 'faint'}`}>{left}</span>}
        rows={3}
        value={reason}
        change={setReason}
        aria-invalid={left < 0}
        placeholder="What happened, in one sentence"
        autofocus
      />
      <div class="row wrap suggestions" role="group" aria-label="Common reasons">
        {SUGGESTIONS.map((text) => (
          <button type="button" key={text} class="suggestion" onClick={() => setReason(text)}>
            {text}
          </button>
        ))}
      </div>
      <Field label="Length">
        {(id) => <Select id={id} items={LENGTHS} value={length} change={setLength} />}
      </Field>
    </FormDialog>
  )
}
