import { number } from '../format.ts'
import { isApple } from '../platform.ts'
import { useCall } from '../queries.ts'
import { address, environmentTitle, type Route } from '../route.ts'
import { Icon } from '../ui/icon.tsx'
import { SearchIcon } from '../ui/icons.ts'
import { LiveDot } from '../ui/live-dot.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ProjectMenu } from './rail.tsx'

const ONLINE_EVERY_MS = 10_000
const LIVE_EVERY_MS = 2_000

type Props = { route: Route; title: string; openPalette: () => void }

/** Above a page: project, environment, players online, and the button of Ctrl-K. */
export function TopBar({ route, title, openPalette }: Props) {
  const live = useCall(
    'readLiveView',
    { params: route.params },
    { everyMs: route.page === 'live' ? LIVE_EVERY_MS : ONLINE_EVERY_MS },
  )
  const other = route.env === 'production' ? 'development' : 'production'
  return (
    <header class="top">
      <div class="top-phone">
        <ProjectMenu route={route} where="top" />
      </div>
      <p class="crumbs">
        <bdi class="faint cut">{route.project.name}</bdi>
        <span class="faint" aria-hidden="true">
          /
        </span>
        <span>{title}</span>
      </p>
      <a
        class="env-pill"
        data-env={route.env}
        data-short={route.env === 'production' ? 'Production' : 'Dev'}
        href={address([route.project.slug, other, route.page])}
        title={`This is ${route.env}. Switch to ${other}.`}
      >
        <span class="env-dot" aria-hidden="true" />
        {environmentTitle(route.env)}
      </a>
      <span class="grow" />
      {live.data && (
        <a class="online" href={route.href('live')} title="Connected now">
          <LiveDot isOff={live.error !== null} />
          <span class="tabular">{number(live.data.connections)}</span>
          <span class="online-word"> online</span>
        </a>
      )}
      <button type="button" class="find" onClick={openPalette} aria-keyshortcuts="Control+K Meta+K">
        <Icon of={SearchIcon} size={14} />
        <span class="find-text">Search or jump to</span>
        <kbd aria-hidden="true">{isApple ? '⌘' : 'Ctrl'} K</kbd>
      </button>
      <div class="top-phone">
        <AccountMenu where="top" />
      </div>
    </header>
  )
}
