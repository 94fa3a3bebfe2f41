import type { ShareStats } from '@svc/contract/sharing'
import { useState } from 'preact/hooks'

import { number } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import type { Route } from '../../route.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { DayBars } from '../../ui/day-bars.tsx'
import { PlusIcon, ShareIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Card, Chip } from '../../ui/parts.tsx'
import { FeatureOff, isFeatureOff, Loaded } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'
import { CardDesigner } from './card-designer.tsx'
import { NewLinkDialog } from './new-link-dialog.tsx'

const EVERY_MS = 60_000
const TOOLS: { key: string; title: string; about: string }[] = [
  { key: 'share.images', title: 'Card images', about: 'An image with name and score for every shared link' },
  {
    key: 'share.tags',
    title: 'Page tags',
    about: 'Your app’s title and image wherever its URL is posted',
  },
  { key: 'share.links', title: 'Links', about: 'Players share a score or a challenge' },
  { key: 'share.tracking', title: 'Tracking', about: 'Counts visits, new players and plays per link' },
  {
    key: 'share.inAppBrowser',
    title: 'In-app browsers',
    about: 'Moves players from in-app browsers to their own',
  },
]

/** Links, cards, and how many came through them. */
export default function Share({ route }: { route: Route }) {
  const features = useCall('listFeatures', { params: route.params })
  const stateOf = (key: string) => features.data?.features.find((feature) => feature.key === key)
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Share"
      side={
        <Allowed route={route} call="createTrackedLink" to="create tracked links and design cards">
          <Button
            kind="main"
            icon={PlusIcon}
            disabled={stateOf('share.links')?.enabled !== true}
            onClick={() => setCreating(true)}
          >
            Tracked link
          </Button>
        </Allowed>
      }
    >
      <div class="two-one">
        <Visits route={route} />
        <Card title="Tools" pad={false}>
          <ul class="changes">
            {TOOLS.map(({ key, title, about }) => {
              const state = stateOf(key)
              return (
                <li key={key}>
                  <span class="grow stack tight">
                    <span>{title}</span>
                    <span class="tiny faint">{state?.problems?.[0] ?? about}</span>
                  </span>
                  <a href={route.href('config', '', { path: `$.${key}.enabled` })}>
                    <Chip tone={state?.problems ? 'warn' : state?.enabled ? 'good' : 'neutral'}>
                      {state === undefined ? '–' : state.enabled ? 'On' : 'Off'}
                    </Chip>
                  </a>
                </li>
              )
            })}
          </ul>
        </Card>
      </div>
      {isAllowed('previewCard', route) && <CardDesigner route={route} />}
      {isCreating && <NewLinkDialog route={route} onClose={() => setCreating(false)} />}
    </Page>
  )
}

function Visits({ route }: { route: Route }) {
  const answer = useCall(
    'readShareStats',
    { params: route.params, query: { limit: 20 } },
    { everyMs: EVERY_MS },
  )
  if (isFeatureOff(answer.error))
    return (
      <FeatureOff
        route={route}
        error={answer.error}
        icon={ShareIcon}
        title="Tracking"
        configPath="share.tracking.enabled"
      >
        Counts visits, new players and plays per shared link.
      </FeatureOff>
    )
  return (
    <Card title="Visits, last 30 days" class="chart-card">
      <Loaded answer={answer} lines={8}>
        {(stats) => (
          <div class="stack share-stats">
            <Funnel totals={stats.totals} />
            <DayBars
              days={stats.days.slice(-14).map(({ date, visits }) => ({ date, count: visits }))}
              unit="visits"
              about="Visits through links per day (UTC)"
            />
            <Links links={stats.links} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

const Funnel = ({ totals }: { totals: ShareStats['totals'] }) => (
  <dl class="funnel">
    {(
      [
        ['Visits', totals.visits],
        ['New players', totals.newPlayers],
        ['Plays', totals.plays],
      ] as const
    ).map(([name, value]) => (
      <div key={name}>
        <dt class="small soft">{name}</dt>
        <dd class="big-number tabular">{number(value)}</dd>
        <dd class="occupancy" aria-hidden="true">
          <span style={{ width: `${(value / Math.max(1, totals.visits)) * 100}%` }} />
        </dd>
      </div>
    ))}
  </dl>
)

const Links = ({ links }: { links: ShareStats['links'] }) =>
  links.length === 0 ? (
    <p class="small faint">No visits through links yet.</p>
  ) : (
    <table class="table mini">
      <TableHead columns={['Link', ['Visits', 'num'], ['New players', 'num'], ['Plays', 'num']]} />
      <tbody>
        {links.map(({ shareId, label, kind, visits, newPlayers, plays }) => (
          <tr key={shareId}>
            <td>
              <bdi>{label ?? <code>{shareId}</code>}</bdi> <span class="tiny faint">{kind ?? 'deleted'}</span>
            </td>
            <td class="num tabular">{number(visits)}</td>
            <td class="num tabular">{number(newPlayers)}</td>
            <td class="num tabular">{number(plays)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
