import type { ConfigVersion } from '@svc/contract/config/config'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { counted } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { HistoryIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { notify } from '../../ui/messages.tsx'
import { Ago, Chip } from '../../ui/parts.tsx'
import { EmptyState, ErrorNotice, LoadedCard } from '../../ui/states.tsx'
import { ChangesList } from './changes-list.tsx'
import { refreshConfig } from './push-dialog.tsx'

const PAGE_SIZE = 25

/** All versions of the document, newest first, with their differences; each can be restored. */
export function ConfigHistory({ route }: { route: Route }) {
  const cursors = useCursors<number, 'before'>('before')
  const answer = useCall(
    'listConfigVersions',
    { params: route.params, query: { limit: PAGE_SIZE, ...cursors.query } },
    { keepsPrevious: true },
  )
  const [restored, setRestored] = useState<ConfigVersion>()
  return (
    <LoadedCard
      answer={answer}
      lines={8}
      foot={
        <>
          <ListFoot cursors={cursors} next={answer.data?.nextBefore} note="Newest first" />
          {restored && (
            <RestoreDialog route={route} version={restored.version} onClose={() => setRestored(undefined)} />
          )}
        </>
      }
    >
      {({ versions }) =>
        versions.length === 0 ? (
          <EmptyState icon={HistoryIcon} title="Nothing pushed yet">
            Every pushed version appears here and can be restored.
          </EmptyState>
        ) : (
          <ul class="audit-list">
            {versions.map((version, index) => {
              const isCurrent = index === 0 && cursors.isFirst
              return (
                <li key={version.version}>
                  <details>
                    <summary>
                      <strong class="tabular">v{version.version}</strong>
                      {isCurrent && <Chip tone="good">Current</Chip>}
                      <span class="grow cut">
                        <bdi class="soft">{version.actor.label}</bdi>,{' '}
                        {counted(version.changeCount, 'change', 'changes')}
                      </span>
                      <Ago iso={version.updatedAt} small />
                    </summary>
                    <div class="audit-facts stack">
                      <ChangesList changes={version.changes} />
                      {!isCurrent && isAllowed('restoreConfigVersion', route) && (
                        <div>
                          <Button small onClick={() => setRestored(version)}>
                            Restore v{version.version}…
                          </Button>
                        </div>
                      )}
                    </div>
                  </details>
                </li>
              )
            })}
          </ul>
        )
      }
    </LoadedCard>
  )
}

function RestoreDialog({ route, version, onClose }: { route: Route; version: number; onClose: () => void }) {
  const old = useCall('readConfigVersion', { params: { ...route.params, version } })
  const dryRun = useCall(
    'pushConfig',
    { params: route.params, query: { dryRun: true }, body: old.data?.config ?? {} },
    { enabled: old.data !== undefined },
  )
  const changes = dryRun.data && 'changes' in dryRun.data ? dryRun.data.changes : undefined
  const restore = useAction(async () => {
    const answer = await call('restoreConfigVersion', { params: { ...route.params, version } })
    refreshConfig()
    onClose()
    notify(answer.changed ? `v${version} restored as v${answer.version}.` : 'Nothing changed.')
  })
  return (
    <FormDialog
      route={route}
      title={`Restore v${version}?`}
      label={`Restore version ${version}`}
      about="Restoring creates a new version. Nothing is lost."
      submit={`Restore${inProduction(route)}`}
      disabled={changes === undefined || changes.length === 0}
      wide
      action={restore}
      onClose={onClose}
    >
      {dryRun.error && <ErrorNotice error={dryRun.error} />}
      {changes?.length === 0 && <p class="soft">Same as the current version.</p>}
      {changes && <ChangesList changes={changes} />}
    </FormDialog>
  )
}
