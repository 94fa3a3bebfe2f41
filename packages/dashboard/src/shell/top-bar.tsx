import { number } from '../format.ts'
import { address, environmentTitle, type Place } from '../place.ts'
import { isApple } from '../platform.ts'
import { useCall } from '../queries.ts'
import { Icon } from '../ui/icon.tsx'
import { SearchIcon } from '../ui/icons.ts'
import { LiveDot } from '../ui/live-dot.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ProjectMenu } from './rail.tsx'

const ONLINE_EVERY_MS = 10_000
const LIVE_EVERY_MS = 2_000

export function TopBar({
  here,
  title,
  openPalette,
}: {
  here: Place
  title: string
  openPalette: () => void
}) {
  const live = useCall(
    'readLiveView',
    { params: here.params },
    { everyMs: here.page === 'live' ? LIVE_EVERY_MS : ONLINE_EVERY_MS },
  )
  const other = here.env === 'production' ? 'development' : 'production'
  return (
    <header class="top">
      <div class="top-phone">
        <ProjectMenu here={here} where="top" />
      </div>
      <p class="crumbs">
        <bdi class="faint cut">{here.project.name}</bdi>
        <span class="faint" aria-hidden="true">
          /
        </span>
        <span>{title}</span>
      </p>
      <a
        class="env-pill"
        data-env={here.env}
        data-short={here.env === 'production' ? 'Production' : 'Dev'}
        href={address([here.project.slug, other, here.page])}
        title={`This is ${here.env}. Switch to ${other}.`}
      >
        <span class="env-dot" aria-hidden="true" />
        {environmentTitle(here.env)}
      </a>
      <span class="grow" />
      {live.data && (
        <a class="online" href={here.href('live')} title="Connected now">
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
