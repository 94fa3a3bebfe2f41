import { useState } from 'preact/hooks'

import { bytes } from '../../format.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { Panel } from '../../ui/panel.tsx'
import { Ago, Chip, CopiedId, Facts, Segments } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { FileChanges, fileChanges } from './file-changes.tsx'

const FILES_SHOWN_MAX = 500

type Props = { route: Route; version: string; liveVersion: number | undefined; onClose: () => void }

/** The files of a version, and how it differs from the live one. */
export function DeploymentPanel({ route, version, liveVersion, onClose }: Props) {
  const answer = useCall('readDeployment', { params: { ...route.params, ref: version } })
  const live = useCall(
    'readDeployment',
    { params: { ...route.params, ref: String(liveVersion ?? 0) } },
    { enabled: liveVersion !== undefined && String(liveVersion) !== version },
  )
  const [tab, setTab] = useState<'files' | 'changes'>('files')
  return (
    <Panel title="Version" onClose={onClose}>
      <Loaded answer={answer} lines={8}>
        {({ deployment, files }) => (
          <>
            <div class="stack">
              <h2 class="room-code tabular">Version {deployment.version}</h2>
              <CopiedId id={deployment.deploymentId} />
            </div>
            <div class="row wrap chips">
              {deployment.live && <Chip tone="good">Live</Chip>}
              {deployment.status === 'uploading' && <Chip tone="warn">Uploading</Chip>}
            </div>
            <Facts
              rows={[
                ['Message', deployment.message ?? <span class="faint">none</span>],
                ['Created', <Ago iso={deployment.createdAt} />],
                ['Last activated', <Ago iso={deployment.activatedAt} />],
                ['Size', bytes(deployment.totalBytes)],
              ]}
            />
            {live.data && (
              <Segments
                label="Show"
                items={[
                  { id: 'files', title: 'Files' },
                  { id: 'changes', title: `Compared with ${liveVersion}` },
                ]}
                chosen={tab}
                choose={setTab}
              />
            )}
            {tab === 'changes' && live.data ? (
              <FileChanges changes={fileChanges(live.data.files, files)} />
            ) : (
              <ul class="file-changes">
                {files.slice(0, FILES_SHOWN_MAX).map(({ path, size }) => (
                  <li key={path}>
                    <code class="grow cut">{path}</code>
                    <span class="tiny faint tabular">{bytes(size)}</span>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}
