import { useState } from 'preact/hooks'

import { asSvcError, call, type SvcError } from '../../developer.ts'
import { counted } from '../../format.ts'
import { inProduction, type Place } from '../../place.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/messages.tsx'
import { ErrorNotice } from '../../ui/states.tsx'

type Props = {
  here: Place
  player: { id: string; displayName: string; isGuest: boolean }
  onDone: () => void
  onClose: () => void
}

export function SignOutDialog({ here, player, onDone, onClose }: Props) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<SvcError>()
  const signOut = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const { revokedSessions } = await call('signOutPlayer', {
        params: { ...here.params, playerId: player.id },
      })
      onDone()
      onClose()
      notify(`${counted(revokedSessions, 'session', 'sessions')} of ${player.displayName} ended.`)
    } catch (failure) {
      setError(asSvcError(failure))
      setBusy(false)
    }
  }
  return (
    <FormDialog
      here={here}
      title={
        <>
          Sign <bdi>{player.displayName}</bdi> out everywhere?
        </>
      }
      label="Sign the player out"
      about="All sessions end and all connections close."
      submit={`Sign out${inProduction(here)}`}
      isDanger={player.isGuest}
      busy={busy}
      onSubmit={signOut}
      onClose={onClose}
    >
      {player.isGuest && (
        <p class="note">This player is a guest without a sign-in method and cannot come back.</p>
      )}
      {error && <ErrorNotice error={error} />}
    </FormDialog>
  )
}
