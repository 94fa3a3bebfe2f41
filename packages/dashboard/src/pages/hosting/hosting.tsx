import type { Deployment } from '@svc/contract/hosting'
import { useState } from 'preact/hooks'

import { ago, bytes, counted } from '../../format.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { GlobeIcon, HostingIcon, OpenIcon } from '../../ui/icons.ts'
import { Card, Chip, Copy, Snippet, Time } from '../../ui/parts.tsx'
import { EmptyState, FeatureOff, isFeatureOff, Loaded } from '../../ui/states.tsx'
import { ActivateDialog } from './activate-dialog.tsx'
import { Activations } from './activations.tsx'
import { DeploymentPanel } from './deployment-panel.tsx'
import { PromoteDialog } from './promote-dialog.tsx'
import { UploadCard } from './upload-card.tsx'

const EVERY_MS = 15_000
const SHOWN_MAX = 50

/** The versions of the app: which one is live, what is in it, and rollback. */
export function Hosting({ route }: { route: Route }) {
  const hosting = useCall('readHosting', { params: route.params }, { everyMs: EVERY_MS })
  const list = useCall(
    'listDeployments',
    { params: route.params, query: { limit: SHOWN_MAX } },
    { everyMs: EVERY_MS },
  )
  const [activated, setActivated] = useState<Deployment>()
  const [isPromoting, setPromoting] = useState(false)
  if (isFeatureOff(hosting.error))
    return (
      <div class="page">
        <header class="page-head">
          <h1>Hosting</h1>
        </header>
        <FeatureOff route={route} error={hosting.error} icon={HostingIcon} title="Hosting">
          Serves the files of your app at its own URL, with versions and rollback.
        </FeatureOff>
      </div>
    )
  const url = hosting.data?.urls[0]
  return (
    <div class={route.id ? 'page with-panel' : 'page'}>
      <header class="page-head">
        <h1>Hosting</h1>
        <span class="grow" />
        {route.env === 'development' && hosting.data?.live && (
          <Button onClick={() => setPromoting(true)}>Promote to production…</Button>
        )}
        {url && (
          <a class="button plain" href={url} target="_blank" rel="noreferrer">
            <Icon of={GlobeIcon} />
            <span>Open the app</span>
            <Icon of={OpenIcon} size={14} class="faint" />
          </a>
        )}
      </header>
      <div class="one-one">
        <Card title="Live version" pad={false}>
          <Loaded answer={hosting} lines={3}>
            {({ live, urls }) => (
              <dl class="plain-list">
                <dt>Version</dt>
                <dd class="row">
                  {live ? <strong class="big-number tabular">{live.version}</strong> : 'none yet'}
                </dd>
                {urls.map((address) => (
                  <>
                    <dt>URL</dt>
                    <dd class="row">
                      <Copy text={address} label="Copy the URL">
                        <code class="cut">{address}</code>
                      </Copy>
                    </dd>
                  </>
                ))}
              </dl>
            )}
          </Loaded>
        </Card>
        <UploadCard route={route} />
      </div>
      <Card title="Versions" pad={false}>
        <div class="card-part">
          <Loaded answer={list} lines={6}>
            {({ deployments }) =>
              deployments.length === 0 ? (
                <EmptyState icon={HostingIcon} title="No versions yet">
                  <p>Drop the folder of your app above, or use the command line:</p>
                  <br />
                  <Snippet label="Deploy" code="npm run svc -- deploy public" />
                </EmptyState>
              ) : (
                <ol class="versions">
                  {deployments.map((deployment) => (
                    <VersionRow
                      key={deployment.deploymentId}
                      deployment={deployment}
                      route={route}
                      activate={() => setActivated(deployment)}
                    />
                  ))}
                </ol>
              )
            }
          </Loaded>
        </div>
      </Card>
      {hosting.data?.live && <Activations route={route} />}
      {route.id && (
        <DeploymentPanel
          route={route}
          version={route.id}
          liveVersion={hosting.data?.live?.version}
          onClose={() => route.go('hosting', '', {}, { replace: true })}
        />
      )}
      {activated && (
        <ActivateDialog
          route={route}
          version={activated.version}
          liveVersion={hosting.data?.live?.version}
          onClose={() => setActivated(undefined)}
        />
      )}
      {isPromoting && hosting.data?.live && (
        <PromoteDialog
          route={route}
          version={hosting.data.live.version}
          onClose={() => setPromoting(false)}
        />
      )}
    </div>
  )
}

const VersionRow = ({
  deployment,
  route,
  activate,
}: {
  deployment: Deployment
  route: Route
  activate: () => void
}) => {
  const { version, live, status, message, fileCount, totalBytes, createdAt, by } = deployment
  return (
    <li class={live ? 'is-live' : ''}>
      <span class="version-dot" aria-hidden="true" />
      <a class="grow row version-link" href={route.href('hosting', String(version))}>
        <strong class="tabular">{version}</strong>
        <span class="grow stack tight">
          <bdi class="cut">{message ?? <span class="faint">no message</span>}</bdi>
          <span class="tiny faint">
            {counted(fileCount, 'file', 'files')}, {bytes(totalBytes)}
            {by && (
              <>
                , <bdi>{by.label}</bdi>
              </>
            )}
          </span>
        </span>
      </a>
      {live && <Chip tone="good">Live</Chip>}
      {status === 'uploading' && <Chip tone="warn">Uploading</Chip>}
      <Time iso={createdAt}>
        <span class="tiny faint">{ago(createdAt)}</span>
      </Time>
      {!live && status === 'finalized' && (
        <Button small onClick={activate}>
          Activate…
        </Button>
      )}
    </li>
  )
}
