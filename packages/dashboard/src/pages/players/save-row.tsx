import type { SaveSummary } from '@svc/contract/saves'
import { useState } from 'preact/hooks'

import { ago, bytes } from '../../format.ts'
import type { Place } from '../../place.ts'
import { useCall } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, EnvironmentBand } from '../../ui/dialog.tsx'
import { Time } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

/** Longer saves are cut: the export contains all of it. */
const SHOWN_LENGTH_MAX = 100_000

/** One save; its contents can be read, not changed. */
export function SaveRow({ here, playerId, save }: { here: Place; playerId: string; save: SaveSummary }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <tr>
      <td>
        <button type="button" class="link" onClick={() => setOpen(true)}>
          <code>{save.key}</code>
        </button>{' '}
        <span class="faint tiny">v{save.version}</span>
        {isOpen && (
          <SaveDialog here={here} playerId={playerId} saveKey={save.key} onClose={() => setOpen(false)} />
        )}
      </td>
      <td class="num soft tabular">{bytes(save.size)}</td>
      <td class="num soft">
        <Time iso={save.updatedAt}>{ago(save.updatedAt)}</Time>
      </td>
    </tr>
  )
}

function SaveDialog({
  here,
  playerId,
  saveKey,
  onClose,
}: {
  here: Place
  playerId: string
  saveKey: string
  onClose: () => void
}) {
  const answer = useCall('readPlayerSave', { params: { ...here.params, playerId, key: saveKey } })
  return (
    <Dialog onClose={onClose} label={`Save ${saveKey}`} class="dialog is-wide">
      <EnvironmentBand here={here} />
      <header class="dialog-head">
        <h2>
          <code>{saveKey}</code>
        </h2>
      </header>
      <div class="dialog-main">
        <Loaded answer={answer} lines={5}>
          {({ data }) => {
            const text = JSON.stringify(data, null, 2)
            return (
              <pre class="json" tabIndex={0}>
                {text.slice(0, SHOWN_LENGTH_MAX)}
                {text.length > SHOWN_LENGTH_MAX && '\n… cut; the export contains all of it'}
              </pre>
            )
          }}
        </Loaded>
      </div>
      <footer class="dialog-foot">
        <Button kind="main" onClick={onClose}>
          Close
        </Button>
      </footer>
    </Dialog>
  )
}
