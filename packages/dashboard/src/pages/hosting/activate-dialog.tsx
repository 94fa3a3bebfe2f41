import { call } from '../../developer.ts'
import { refresh, useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/messages.tsx'
import { Loaded } from '../../ui/states.tsx'
import { FileChanges, fileChanges } from './file-changes.tsx'

type Props = { route: Route; version: number; liveVersion: number | undefined; onClose: () => void }

/** Makes a version live, after its differences from the live one were shown. */
export function ActivateDialog({ route, version, liveVersion, onClose }: Props) {
  const next = useCall('readDeployment', { params: { ...route.params, ref: String(version) } })
  const live = useCall(
    'readDeployment',
    { params: { ...route.params, ref: String(liveVersion ?? 0) } },
    { enabled: liveVersion !== undefined },
  )
  const activate = useAction(async () => {
    await call('activateDeployment', { params: { ...route.params, ref: String(version) } })
    refreshHosting()
    onClose()
    notify(`Version ${version} is live.`)
  })
  const isRollback = liveVersion !== undefined && version < liveVersion
  return (
    <FormDialog
      route={route}
      title={isRollback ? `Roll back to version ${version}?` : `Activate version ${version}?`}
      label={`Activate version ${version}`}
      about={
        liveVersion === undefined
          ? 'Players get it from their next visit on.'
          : `It replaces version ${liveVersion}. Players get it from their next visit on.`
      }
      submit={`${isRollback ? 'Roll back' : 'Activate'}${inProduction(route)}`}
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
