import type { FunctionsStatus } from '@svc/contract/functions'

import { call } from '../../developer.ts'
import { bytes, exactly, number } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { BASE, inProduction, type Route } from '../../route.ts'
import { envOption, setUpCommands } from '../../set-up.ts'
import { useAction, useChange } from '../../ui/action.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { FunctionsIcon } from '../../ui/icons.ts'
import { notify } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago, Card, Chip, CopiedUrl, Facts, Snippet, Time } from '../../ui/parts.tsx'
import { EmptyState, ErrorNotice, FeatureOff, Loaded } from '../../ui/states.tsx'
import { Charts } from './charts.tsx'
import { Lines } from './lines.tsx'
import { SqlGrid } from './sql-grid.tsx'

const EVERY_MS = 2_000

/** The server code of an environment: state, limits, crons, data, secrets, versions and its log. */
export default function Functions({ route }: { route: Route }) {
  const answer = useCall('readFunctions', { params: route.params }, { everyMs: EVERY_MS })
  const { run, busy, error } = useAction(
    async (act: () => Promise<unknown>, text: string) => {
      await act()
      notify(text)
    },
    undefined,
    () => refresh('readFunctions', 'listFunctionDeployments', 'listAudit'),
  )
  const enable = () =>
    run(() => call('enableFunctions', { params: route.params, body: {} }), 'Functions enabled.')
  const disable = () => run(() => call('disableFunctions', { params: route.params }), 'Functions disabled.')

  if (error?.code === 'feature_unavailable')
    return (
      <Page title="Functions">
        <FeatureOff route={route} error={error} icon={FunctionsIcon} title="Functions">
          Run your own server code, with databases, secrets and cron jobs.
        </FeatureOff>
      </Page>
    )
  return (
    <Page
      title="Functions"
      side={
        answer.data?.enabled && (
          <Allowed route={route} call="disableFunctions" to="disable functions">
            <Button busy={busy} onClick={disable}>
              Disable{inProduction(route)}
            </Button>
          </Allowed>
        )
      }
    >
      {error && (
        <>
          <ErrorNotice error={error} />
          {error.code === 'prepaid_required' && (
            <p>
              <LinkButton kind="main" href={`${BASE}/billing`}>
                Add credit
              </LinkButton>
            </p>
          )}
        </>
      )}
      <Loaded answer={answer} inCard>
        {(status) =>
          status.enabled ? (
            <Enabled route={route} status={status} />
          ) : (
            <EmptyState
              inCard
              icon={FunctionsIcon}
              title="Functions are disabled"
              action={
                <Allowed route={route} call="enableFunctions" to="enable functions">
                  <Button kind="main" busy={busy} onClick={enable}>
                    Enable{inProduction(route)}
                  </Button>
                </Allowed>
              }
            >
              Run your own server code in a sandbox, with databases, files, queues, secrets and cron jobs.
              Disabling keeps code and data.
            </EmptyState>
          )
        }
      </Loaded>
    </Page>
  )
}

function Enabled({ route, status }: { route: Route; status: FunctionsStatus }) {
  if (!status.deployed)
    return (
      <EmptyState inCard icon={FunctionsIcon} title="Nothing deployed yet">
        <p>In your app’s folder, create an example and deploy it:</p>
        <Snippet
          label="Deploy"
          code={`${setUpCommands(route.project.slug)}\nsvc functions init\nsvc functions deploy${envOption(route.env)}`}
        />
      </EmptyState>
    )
  return (
    <>
      <div class="one-one">
        <Card title="State" side={<StateChip status={status} />}>
          <Facts
            rows={[
              ['Version', `v${status.version}`],
              ['URL', status.url && <CopiedUrl url={status.url} />],
              ['CPU time', `${number(status.limits.cpuMs)} ms per request`],
              ['Outgoing requests', `${number(status.limits.subRequests)} per request`],
              status.rooms.length > 0 && ['Room classes', <RoomClasses rooms={status.rooms} />],
              ['Secrets', status.secrets.length === 0 ? 'none' : <code>{status.secrets.join(', ')}</code>],
            ]}
          />
        </Card>
        <Card title="Data" pad={false}>
          <ul class="changes">
            {status.resources.length === 0 && <li class="faint">No data yet</li>}
            {status.resources.map(({ type, id, bytes: size, bound }) => (
              <li key={`${type} ${id}`}>
                <span class="grow stack tight">
                  <code>{id}</code>
                  <span class="tiny faint">{type.replace('_', ' ')}</span>
                </span>
                {!bound && <Chip>unused by this version</Chip>}
                <span class="soft tabular">{bytes(size)}</span>
              </li>
            ))}
          </ul>
        </Card>
      </div>
      <Allowed route={route} call="deployFunctions" to="deploy functions and run cron jobs" />
      <Charts route={route} />
      {status.crons.length > 0 && <Crons route={route} crons={status.crons} />}
      <SqlGrid route={route} />
      <Versions route={route} />
      <Lines route={route} />
    </>
  )
}

const ticksOf = (tickRate: number) => (tickRate === 0 ? 'no ticks' : `${number(tickRate)} ticks/s`)

/** The classes of the live version that run rooms. */
const RoomClasses = ({ rooms }: Pick<FunctionsStatus, 'rooms'>) => (
  <ul class="room-classes">
    {rooms.map(({ className, tickRate }) => (
      <li key={className}>
        <code>{className}</code> <span class="tiny faint">{ticksOf(tickRate)}</span>
      </li>
    ))}
  </ul>
)

const StateChip = ({ status: { suspended } }: { status: FunctionsStatus }) =>
  suspended ? <Chip tone="bad">Suspended</Chip> : <Chip tone="good">Running</Chip>

function Crons({ route, crons }: { route: Route; crons: FunctionsStatus['crons'] }) {
  const runNow = useChange(['readFunctions'], async (cron: string) => {
    const { outcome, durationMs } = await call('runFunctionCron', { params: route.params, body: { cron } })
    notify(`${cron}: ${outcome} after ${number(Math.round(durationMs))} ms.`, { isError: outcome !== 'ok' })
  })
  return (
    <Card title="Cron jobs" pad={false}>
      <ul class="changes">
        {crons.map(({ cron, nextAt, lastAt, lastOutcome }) => (
          <li key={cron}>
            <span class="grow stack tight">
              <code>{cron}</code>
              <span class="tiny faint">
                {nextAt ? (
                  <>
                    next <Time iso={nextAt}>{exactly(nextAt)}</Time>
                  </>
                ) : (
                  'not scheduled'
                )}
                {lastAt && (
                  <>
                    , last <Ago iso={lastAt} />
                  </>
                )}
              </span>
            </span>
            {lastOutcome && (
              <Chip tone={lastOutcome === 'ok' ? 'good' : lastOutcome === 'running' ? 'neutral' : 'bad'}>
                {lastOutcome.replaceAll('_', ' ')}
              </Chip>
            )}
            {route.env === 'development' && isAllowed('runFunctionCron', route) && (
              <Button small onClick={() => runNow.run(cron)}>
                Run now
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Versions({ route }: { route: Route }) {
  const answer = useCall('listFunctionDeployments', { params: route.params, query: { limit: 20 } })
  const goBack = useChange(
    ['readFunctions', 'listFunctionDeployments', 'listAudit'],
    async (fromVersion: number) => {
      await call('deployFunctions', { params: route.params, body: { fromVersion } })
      notify(`v${fromVersion} deployed again.`)
    },
  )
  return (
    <Card title="Versions" pad={false}>
      <Loaded answer={answer} lines={3}>
        {({ deployments }) => (
          <ul class="changes">
            {deployments.map(({ deploymentId, version, live, message, modules, rooms, createdAt }) => (
              <li key={deploymentId}>
                <span class="grow stack tight">
                  <span class="row">
                    <strong>v{version}</strong>
                    {live && <Chip tone="good">Live</Chip>}
                  </span>
                  <bdi class="tiny faint">
                    {message ?? bytes(modules.reduce((sum, { size }) => sum + size, 0))}
                  </bdi>
                  {rooms.length > 0 && (
                    <span class="tiny faint">
                      {rooms.length === 1 ? 'Room class' : 'Room classes'}{' '}
                      <code>{rooms.map(({ className }) => className).join(', ')}</code>
                    </span>
                  )}
                </span>
                <Ago iso={createdAt} />
                {!live && isAllowed('deployFunctions', route) && (
                  <Button small onClick={() => goBack.run(version)}>
                    Deploy again{inProduction(route)}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
