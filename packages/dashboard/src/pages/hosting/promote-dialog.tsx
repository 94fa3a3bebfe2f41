import { call } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/messages.tsx'
import { ErrorNotice, Loaded, Skeleton } from '../../ui/states.tsx'
import { ChangesList } from '../config/changes-list.tsx'
import { refreshConfig } from '../config/push-dialog.tsx'
import { FileChanges, fileChanges } from './file-changes.tsx'
import { refreshHosting } from './refresh-hosting.ts'

type Props = { route: Route; version: number; onClose: () => void }

/** Copies the live version and the config of development to production, after both differences were shown. */
export function PromoteDialog({ route, version, onClose }: Props) {
  const production: Route = { ...route, env: 'production', params: { ...route.params, env: 'production' } }
  const source = useCall('readDeployment', { params: { ...route.params, ref: String(version) } })
  const config = useCall('readConfig', { params: route.params })
  const dryRun = useCall(
    'pushConfig',
    { params: production.params, query: { dryRun: true }, body: config.data?.config ?? {} },
    { enabled: config.data !== undefined },
  )
  const live = useCall('readHosting', { params: production.params })
  const liveVersion = live.data?.live?.version
  const target = useCall(
    'readDeployment',
    { params: { ...production.params, ref: String(liveVersion ?? 0) } },
    { enabled: liveVersion !== undefined },
  )
  const changes = dryRun.data && 'changes' in dryRun.data ? dryRun.data.changes : undefined
  // While hosting is off in production nothing can be live there.
  const isTargetKnown =
    live.error !== null ||
    (live.data !== undefined && (liveVersion === undefined || target.data !== undefined))

  const promote = useAction(async () => {
    if (!source.data || !config.data) return
    await call('pushConfig', { params: production.params, query: {}, body: config.data.config })
    const created = await call('createDeployment', {
      params: production.params,
      body: { files: source.data.files, message: `Version ${version} from development` },
    })
    const { version: promoted } = await call('finalizeDeployment', {
      params: { ...production.params, ref: created.deploymentId },
      body: { activate: true },
    })
    refreshConfig()
    refreshHosting()
    onClose()
    notify(`Version ${promoted} is live in production.`)
  })
  return (
    <FormDialog
      route={production}
      title={`Promote version ${version} to production?`}
      label="Promote to production"
      about="Production players get these files and this config on their next visit."
      submit="Promote to production"
      disabled={!source.data || changes === undefined || !isTargetKnown}
      wide
      action={promote}
      onClose={onClose}
    >
      <section class="stack">
        <h3>Files</h3>
        <Loaded answer={source} lines={3}>
          {({ files }) =>
            isTargetKnown ? (
              <FileChanges changes={fileChanges(target.data?.files ?? [], files)} />
            ) : (
              <Skeleton />
            )
          }
        </Loaded>
      </section>
      <section class="stack">
        <h3>Config</h3>
        {dryRun.error && <ErrorNotice error={dryRun.error} />}
        {changes?.length === 0 && <p class="small soft">No changes.</p>}
        {changes && <ChangesList changes={changes} />}
      </section>
    </FormDialog>
  )
}
