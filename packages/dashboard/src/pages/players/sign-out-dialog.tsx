import { call } from '../../developer.ts'
import { counted } from '../../format.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/messages.tsx'

type Props = {
  route: Route
  player: { id: string; displayName: string; isGuest: boolean }
  onDone: () => void
  onClose: () => void
}

/** Ends all sessions of a player. */
export function SignOutDialog({ route, player, onDone, onClose }: Props) {
  const signOut = useAction(async () => {
    const { revokedSessions } = await call('signOutPlayer', {
      params: { ...route.params, playerId: player.id },
    })
    onDone()
    onClose()
    notify(`${player.displayName} signed out of ${counted(revokedSessions, 'session', 'sessions')}.`)
  })
  return (
    <FormDialog
      route={route}
      title={
        <>
          Sign <bdi>{player.displayName}</bdi> out everywhere?
        </>
      }
      label="Sign player out"
      about="All sessions end and all connections close."
      submit={`Sign out${inProduction(route)}`}
      isDanger={player.isGuest}
      action={signOut}
      onClose={onClose}
    >
      {player.isGuest && <p class="note">This guest has no sign-in method and will lose access for good.</p>}
    </FormDialog>
  )
}
