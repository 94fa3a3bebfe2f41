import type { ResponseOf } from '../../developer.ts'
import { counted, number, ratio } from '../../format.ts'
import { type Answer, useCall } from '../../queries.ts'
import { type Route } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { GlobeIcon } from '../../ui/icons.ts'
import { LiveDot } from '../../ui/live-dot.tsx'
import { Page } from '../../ui/page.tsx'
import { Card, Copy, Facts } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { ActivityCard, useActivity } from './activity-card.tsx'
import { Attention, useOpenAppeals } from './attention.tsx'
import { Changes, useLastChanges } from './changes.tsx'
import { FirstSteps } from './first-steps.tsx'
import { KeysCard } from './keys-card.tsx'

const OVERVIEW_EVERY_MS = 15_000
const LIVE_EVERY_MS = 10_000
const SKELETON_LINES = 8

type Summary = ResponseOf<'readOverview'>

/** The state of an environment at a glance; first steps while it has no players. */
export default function Overview({ route }: { route: Route }) {
  const { params, project, env } = route
  const overview = useCall('readOverview', { params }, { everyMs: OVERVIEW_EVERY_MS })
  const features = useCall('listFeatures', { params })
  const isHosted = features.data?.features.some(({ key, enabled }) => key === 'hosting' && enabled) ?? false
  const hosting = useCall('readHosting', { params }, { enabled: isHosted })
  const url = hosting.data?.urls[0]
  const facts = overview.data
  const parts = [
    features,
    useActivity(route),
    useOpenAppeals(route),
    useLastChanges(route),
    useCall('readMe', {}),
  ]
  // All parts appear together: one that came later would move those below it.
  const isReady = parts.every(isAnswered) && (!isHosted || isAnswered(hosting))
  const isNew = facts !== undefined && facts.players.total === 0
  return (
    <Page
      title={
        !isNew ? (
          'Overview'
        ) : env === 'production' ? (
          <>No players in production yet</>
        ) : (
          <>
            Welcome to <bdi>{project.name}</bdi>
          </>
        )
      }
      side={
        url && (
          <LinkButton external icon={GlobeIcon} href={url}>
            <span class="cut only-wide">{url.replace(/^https?:\/\//, '')}</span>
            <span class="only-phone">Open app</span>
          </LinkButton>
        )
      }
    >
      <Loaded answer={isReady ? overview : { ...overview, data: undefined }} lines={SKELETON_LINES} inCard>
        {(data) =>
          data.players.total === 0 ? (
            <NewEnvironment route={route} facts={data} />
          ) : (
            <>
              <Tiles
                route={route}
                facts={data}
                featuresOn={features.data?.features.filter((one) => one.enabled).length}
              />
              <div class="two-one">
                <ActivityCard route={route} />
                <Attention route={route} failedMails={data.failedMails} />
              </div>
              <div class="two-one">
                <Changes route={route} />
                <KeysCard keys={data.keys} route={route} />
              </div>
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const isAnswered = ({ data, error }: Answer<unknown>) => data !== undefined || error !== null

function NewEnvironment({ route, facts }: { route: Route; facts: Summary }) {
  const { project } = route
  const rows = [
    ['API', `${location.origin}/v1`],
    ['Project', project.id],
    ['Slug', project.slug],
  ] as const
  return (
    <>
      <FirstSteps
        route={route}
        done={{
          key: facts.firsts.keyUsedAt !== null,
          config: facts.configVersion > 0,
          version: facts.firsts.deploymentAt !== null,
          room: facts.firsts.roomAt !== null,
        }}
      />
      <div class="one-one">
        <Card title="URLs and IDs" pad={false}>
          <Facts
            class="plain-list"
            rows={rows.map(([name, value]) => [
              name,
              <Copy text={value} label={`Copy: ${name}`}>
                <code class="cut">{value}</code>
              </Copy>,
            ])}
          />
        </Card>
        <KeysCard keys={facts.keys} route={route} />
      </div>
    </>
  )
}

function Tiles({
  route,
  facts,
  featuresOn,
}: {
  route: Route
  facts: Summary
  featuresOn: number | undefined
}) {
  const live = useCall('readLiveView', { params: route.params }, { everyMs: LIVE_EVERY_MS })
  const { players, dailyActives, configVersion } = facts
  const activeToday = dailyActives.at(-1)?.count ?? 0
  const lastWeek = dailyActives.slice(-8, -1)
  const average = lastWeek.reduce((sum, { count }) => sum + count, 0) / Math.max(1, lastWeek.length)
  return (
    <div class="tiles card">
      <a href={route.href('players')}>
        <span class="tile-name">Players</span>
        <span class="tile-value tabular">{number(players.total)}</span>
        <span class="tile-note">
          {ratio(players.guests / Math.max(1, players.total))} guests
          {players.banned > 0 && `, ${number(players.banned)} banned`}
        </span>
      </a>
      <a href={route.href('live')}>
        <span class="tile-name">
          Online now <LiveDot isOff={live.error !== null} />
        </span>
        <span class="tile-value tabular">{number(live.data?.connections ?? facts.online)}</span>
        <span class="tile-note">{live.data && `in ${counted(live.data.rooms.length, 'room', 'rooms')}`}</span>
      </a>
      <a href={route.href('players')}>
        <span class="tile-name">Active today</span>
        <span class="tile-value tabular">{number(activeToday)}</span>
        <span class="tile-note">
          {average >= 1 ? `so far · daily average ${number(Math.round(average))}` : 'so far (UTC)'}
        </span>
      </a>
      <a href={route.href('config')}>
        <span class="tile-name">Config</span>
        <span class="tile-value tabular">v{configVersion}</span>
        <span class="tile-note">
          {featuresOn !== undefined && counted(featuresOn, 'feature on', 'features on')}
        </span>
      </a>
    </div>
  )
}
