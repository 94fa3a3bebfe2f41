import { call } from '../../developer.ts'
import { counted } from '../../format.ts'
import { inProduction, type Place } from '../../place.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/messages.tsx'

type Props = {
  here: Place
  player: { id: string; displayName: string; isGuest: boolean }
  onDone: () => void
  onClose: () => void
}

export function SignOutDialog({ here, player, onDone, onClose }: Props) {
  const signOut = useAction(async () => {
    const { revokedSessions } = await call('signOutPlayer', {
      params: { ...here.params, playerId: player.id },
    })
    onDone()
    onClose()
    notify(`${counted(revokedSessions, 'session', 'sessions')} of ${player.displayName} ended.`)
  })
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
      action={signOut}
      onClose={onClose}
    >
      {player.isGuest && (
        <p class="note">This player is a guest without a sign-in method and cannot come back.</p>
      )}
    </FormDialog>
  )
}
