import type { AgeBand } from '@svc/contract/moderation'
import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { refresh } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { notify } from '../../ui/messages.tsx'

type Player = ResponseOf<'readPlayerDetail'>['player']

const BANDS = (['child', 'teen', 'adult'] as const).map((id) => ({ id, title: id }))

/** The age group of a player, which may be corrected in either direction. */
export function AgeGroup({ route, player }: { route: Route; player: Player }) {
  const profile = player.age
  const [isOpen, setOpen] = useState(false)
  const [band, setBand] = useState<AgeBand>(profile.ageBand)
  const save = useAction(async () => {
    await call('correctAge', { params: { ...route.params, playerId: player.id }, body: { band } })
    setOpen(false)
    notify(`Age group changed to ${band}.`)
    refresh('readPlayerDetail', 'listAudit')
  })
  return (
    <span class="row wrap">
      {profile.ageBand}
      {profile.declaredAgeBand === null && <span class="faint">(not declared)</span>}
      {isAllowed('correctAge', route) && (
        <button type="button" class="link" onClick={() => setOpen(true)}>
          Change
        </button>
      )}
      {isOpen && (
        <FormDialog
          route={route}
          title={
            <>
              Age group of <bdi>{player.displayName}</bdi>
            </>
          }
          label="Age group"
          about="Controls what the player can use, such as voice and direct connections."
          submit={`Save${inProduction(route)}`}
          disabled={band === profile.ageBand}
          action={save}
          onClose={() => setOpen(false)}
        >
          <Field label="Age group">
            {(id) => (
              <Select id={id} items={BANDS} value={band} change={(chosen) => setBand(chosen as AgeBand)} />
            )}
          </Field>
        </FormDialog>
      )}
    </span>
  )
}
