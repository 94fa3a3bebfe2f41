import type { Deployment } from '@svc/contract/hosting'
import { useState } from 'preact/hooks'

import { bytes, counted } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import type { Route } from '../../route.ts'
import { envOption, setUpCommands } from '../../set-up.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { GlobeIcon, HostingIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Ago, Card, Chip, CopiedUrl, Facts, Snippet } from '../../ui/parts.tsx'
import { EmptyState, FeatureOff, isFeatureOff, Loaded, LoadedCard } from '../../ui/states.tsx'
import { ActivateDialog } from './activate-dialog.tsx'
import { Activations } from './activations.tsx'
import { DeploymentPanel } from './deployment-panel.tsx'
import { PromoteDialog } from './promote-dialog.tsx'
import { UploadCard } from './upload-card.tsx'

const EVERY_MS = 15_000
const SHOWN_MAX = 50

/** The versions of the app: which one is live, what is in it, and rollback. */
export default function Hosting({ route }: { route: Route }) {
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
      <Page title="Hosting">
        <FeatureOff route={route} error={hosting.error} icon={HostingIcon} title="Hosting">
          Serves your app’s files at their own URL, with versions and rollback.
        </FeatureOff>
      </Page>
    )
  const url = hosting.data?.urls[0]
  return (
    <Page
      title="Hosting"
      class={route.id ? 'with-panel' : ''}
      side={
        <>
          {route.env === 'development' && hosting.data?.live && isAllowed('createDeployment', route) && (
            <Button onClick={() => setPromoting(true)}>Promote to production…</Button>
          )}
          {url && (
            <LinkButton external icon={GlobeIcon} href={url}>
              Open app
            </LinkButton>
          )}
        </>
      }
    >
      <div class="one-one">
        <Card title="Live version" pad={false}>
          <Loaded answer={hosting} lines={3}>
            {({ live, urls }) => (
              <Facts
                class="plain-list"
                rows={[
                  ['Version', live ? <strong class="big-number tabular">{live.version}</strong> : 'none yet'],
                  ...urls.map((address) => ['URL', <CopiedUrl url={address} />] as const),
                ]}
              />
            )}
          </Loaded>
        </Card>
        {isAllowed('createDeployment', route) ? (
          <UploadCard route={route} />
        ) : (
          <Card title="New versions">
            <Allowed route={route} call="createDeployment" to="upload, activate and promote versions" />
          </Card>
        )}
      </div>
      <LoadedCard title="Versions" answer={list} lines={6}>
        {({ deployments }) =>
          deployments.length === 0 ? (
            <EmptyState icon={HostingIcon} title="No versions yet">
              <p>Drop your build folder above, or run this in your app’s folder:</p>
              <Snippet
                label="Deploy"
                code={`${setUpCommands(route.project.slug)}\nsvc deploy public${envOption(route.env)}`}
              />
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
      </LoadedCard>
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
    </Page>
  )
}

type Props = { deployment: Deployment; route: Route; activate: () => void }

const VersionRow = ({ deployment, route, activate }: Props) => {
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
      <Ago iso={createdAt} small />
      {!live && status === 'finalized' && isAllowed('activateDeployment', route) && (
        <Button small onClick={activate}>
          Activate…
        </Button>
      )}
    </li>
  )
}
