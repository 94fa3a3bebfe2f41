import { useEffect, useState } from 'preact/hooks'

import { asSvcError, type RequestOf, type SvcError } from '../../developer.ts'
import type { Route } from '../../route.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { InfoDialog } from '../../ui/dialog.tsx'
import { ErrorNotice, Skeleton } from '../../ui/states.tsx'
import { readSave } from './save-dialog.tsx'

type Props = { route: Route; params: RequestOf<'readPlayerSave'>['params']; onClose: () => void }

/** The data of a save, for roles that may not change it. */
export function ReadOnlySave({ route, params, onClose }: Props) {
  const [text, setText] = useState<string>()
  const [error, setError] = useState<SvcError>()
  useEffect(() => {
    readSave(params).then(
      (save) => setText(save.text),
      (failure: unknown) => setError(asSvcError(failure)),
    )
  }, [])
  return (
    <InfoDialog
      route={route}
      title={<code>{params.key}</code>}
      label={`Save ${params.key}`}
      close="Close"
      onClose={onClose}
    >
      <Allowed route={route} call="writePlayerSave" to="change saves" />
      {error && <ErrorNotice error={error} />}
      {text === undefined ? !error && <Skeleton lines={5} /> : <pre class="json">{text}</pre>}
    </InfoDialog>
  )
}
