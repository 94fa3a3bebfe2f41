import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { inProduction, type Route } from '../../route.ts'
import { envOption } from '../../set-up.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { BanIcon, LiveIcon, SignOutIcon } from '../../ui/icons.ts'
import { Copy } from '../../ui/parts.tsx'

const REASON_LENGTH_MAX = 500
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
  const left = REASON_LENGTH_MAX - Array.from(reason).length

  const ban = useAction(async () => {
    const answer = await call('banPlayer', {
      params: { ...route.params, playerId: player.id },
      body: reason.trim() ? { reason: reason.trim() } : {},
    })
    onBanned(answer.player.revokedSessions)
  })

  const command = `svc players ban ${player.id} --hours 24${envOption(route.env)}`
  return (
    <FormDialog
      route={route}
      title={
        <>
          Ban <bdi>{player.displayName}</bdi>?
        </>
      }
      label={`Ban ${player.displayName}`}
      about="Takes effect immediately and lasts until you lift it."
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
      <div class="command-note">
        <span class="tiny soft">Temporary bans need a secret key:</span>
        <span class="row">
          <code class="tiny cut grow">{command}</code>
          <Copy text={command} label="Copy command" />
        </span>
      </div>
    </FormDialog>
  )
}
