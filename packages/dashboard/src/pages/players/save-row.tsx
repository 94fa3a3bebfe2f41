import type { SaveSummary } from '@svc/contract/saves'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { bytes } from '../../format.ts'
import { refresh } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { inProduction, type Route } from '../../route.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notify } from '../../ui/messages.tsx'
import { Ago } from '../../ui/parts.tsx'
import { ReadOnlySave } from './read-only-save.tsx'
import { SaveDialog } from './save-dialog.tsx'

type State = { is: 'closed' } | { is: 'open' } | { is: 'deleting'; version: number }

/** One save of a player, which can be changed and deleted, or by some roles only read. */
export function SaveRow({ route, playerId, save }: { route: Route; playerId: string; save: SaveSummary }) {
  const [state, setState] = useState<State>({ is: 'closed' })
  const close = () => setState({ is: 'closed' })
  const params = { ...route.params, playerId, key: save.key }
  const onChanged = (text: string) => {
    close()
    notify(text)
    refresh('readPlayerDetail', 'listAudit')
  }
  return (
    <tr>
      <td>
        <button type="button" class="link" onClick={() => setState({ is: 'open' })}>
          <code>{save.key}</code>
        </button>{' '}
        <span class="faint tiny">v{save.version}</span>
        {state.is === 'open' && !isAllowed('writePlayerSave', route) && (
          <ReadOnlySave route={route} params={params} onClose={close} />
        )}
        {state.is === 'open' && isAllowed('writePlayerSave', route) && (
          <SaveDialog
            route={route}
            params={params}
            onClose={close}
            onSaved={(version) => onChanged(`${save.key} saved as v${version}.`)}
            onDelete={(version) => setState({ is: 'deleting', version })}
          />
        )}
        {state.is === 'deleting' && (
          <ConfirmDialog
            route={route}
            title={
              <>
                Delete <code>{save.key}</code>?
              </>
            }
            label={`Delete ${save.key}`}
            typed={save.key}
            typedLabel="Save key"
            submit={`Delete${inProduction(route)}`}
            act={() => call('deletePlayerSave', { params, query: { ifVersion: state.version } })}
            onDone={() => onChanged(`${save.key} deleted.`)}
            onClose={close}
          >
            <p>Deletes this save’s data. This cannot be undone.</p>
          </ConfirmDialog>
        )}
      </td>
      <td class="num soft tabular">{bytes(save.size)}</td>
      <td class="num soft">
        <Ago iso={save.updatedAt} />
      </td>
    </tr>
  )
}
