import { call } from '../../developer.ts'
import { inProduction, type Place } from '../../place.ts'
import { refresh, useCall } from '../../queries.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/messages.tsx'
import { Loaded } from '../../ui/states.tsx'
import { FileChanges, fileChanges } from './file-changes.tsx'

type Props = { here: Place; version: number; liveVersion: number | undefined; onClose: () => void }

export function ActivateDialog({ here, version, liveVersion, onClose }: Props) {
  const next = useCall('readDeployment', { params: { ...here.params, ref: String(version) } })
  const live = useCall(
    'readDeployment',
    { params: { ...here.params, ref: String(liveVersion ?? 0) } },
    { enabled: liveVersion !== undefined },
  )
  const activate = useAction(async () => {
    await call('activateDeployment', { params: { ...here.params, ref: String(version) } })
    refreshHosting()
    onClose()
    notify(`Version ${version} is live.`)
  })
  const isRollback = liveVersion !== undefined && version < liveVersion
  return (
    <FormDialog
      here={here}
      title={isRollback ? `Roll back to version ${version}?` : `Activate version ${version}?`}
      label={`Activate version ${version}`}
      about={
        liveVersion === undefined
          ? 'Players get it from their next visit on.'
          : `It replaces version ${liveVersion}. Players get it from their next visit on.`
      }
      submit={`${isRollback ? 'Roll back' : 'Activate'}${inProduction(here)}`}
      wide
      action={activate}
      onClose={onClose}
    >
      <Loaded answer={next} lines={4}>
        {({ files }) => <FileChanges changes={fileChanges(live.data?.files ?? [], files)} />}
      </Loaded>
    </FormDialog>
  )
}

/** After a change of versions. */
export const refreshHosting = () =>
  refresh('readHosting', 'listDeployments', 'listActivations', 'listAudit', 'readOverview', 'listProjects')
