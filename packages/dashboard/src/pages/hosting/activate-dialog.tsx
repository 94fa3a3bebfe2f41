import { call } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/messages.tsx'
import { Loaded } from '../../ui/states.tsx'
import { FileChanges, fileChanges } from './file-changes.tsx'
import { refreshHosting } from './refresh-hosting.ts'

/** `liveVersion` is undefined while no version is live. */
type Props = { route: Route; version: number; liveVersion: number | undefined; onClose: () => void }

/** Asks whether a version becomes live, and shows how its files differ from those of the live version. */
export function ActivateDialog({ route, version, liveVersion, onClose }: Props) {
  const next = useCall('readDeployment', { params: { ...route.params, ref: String(version) } })
  // A hook cannot be called conditionally: without a live version the call is disabled, and version 0 is never requested.
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
  const what = isRollback ? `Roll back to version ${version}` : `Activate version ${version}`
  return (
    <FormDialog
      route={route}
      title={`${what}?`}
      label={what}
      about={
        liveVersion === undefined
          ? 'Players get it on their next visit.'
          : `Replaces version ${liveVersion}. Players get it on their next visit.`
      }
      submit={`${isRollback ? 'Roll back' : 'Activate'}${inProduction(route)}`}
      wide
      action={activate}
      onClose={onClose}
    >
      <Loaded answer={next} lines={4}>
        {({ files }) =>
          liveVersion === undefined ? (
            <FileChanges changes={fileChanges([], files)} />
          ) : (
            <Loaded answer={live} lines={4}>
              {(before) => <FileChanges changes={fileChanges(before.files, files)} />}
            </Loaded>
          )
        }
      </Loaded>
    </FormDialog>
  )
}
