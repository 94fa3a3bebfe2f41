import { call } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { LiveIcon, PlaygroundIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Card, Segments, Snippet } from '../../ui/parts.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { Consoles } from './consoles.tsx'
import { Game } from './game.tsx'
import type { Simulate } from './player-network.ts'

const VIEWS = [
  { id: 'game', title: 'Game' },
  { id: 'consoles', title: 'Consoles' },
] as const

const IS_THIS_MACHINE = /^(?:(?:.+\.)?localhost|127\.0\.0\.1)$/

/** Several players in one window, in development only: each with the game, or with a console if there is no game yet. */
export default function Playground({ route }: { route: Route }) {
  if (route.env === 'production')
    return (
      <Page title="Playground">
        <EmptyState inCard icon={PlaygroundIcon} title="Only in development">
          Simulated players would mix with real ones.
        </EmptyState>
      </Page>
    )
  return <Views route={route} />
}

function Views({ route }: { route: Route }) {
  const { page, view } = route.query
  const hosting = useCall('readHosting', { params: route.params })
  const isLoading = page === undefined && hosting.data === undefined && hosting.error === null
  const url = page === undefined ? hosting.data?.urls[0] : localPage(page)
  const chosen = VIEWS.find(({ id }) => id === view)?.id ?? (page || url ? 'game' : 'consoles')
  const simulate: Simulate = (playerId, conditions) =>
    call('simulateNetwork', { params: route.params, body: { playerId, ...conditions } })
  return (
    <Page
      title="Playground"
      class="wide"
      side={
        <>
          <Segments
            label="View"
            items={VIEWS}
            chosen={chosen}
            choose={(id) => route.go('playground', '', { page, view: id }, { replace: true })}
          />
          <LinkButton icon={LiveIcon} href={route.href('live')}>
            Live
          </LinkButton>
        </>
      }
    >
      {isLoading ? (
        <Card>
          <Skeleton lines={8} />
        </Card>
      ) : chosen === 'consoles' ? (
        <Consoles route={route} simulate={simulate} />
      ) : url === undefined ? (
        <NoGame isRefused={page !== undefined} />
      ) : (
        <Game route={route} url={url} simulate={simulate} />
      )}
    </Page>
  )
}

const NoGame = ({ isRefused }: { isRefused: boolean }) => (
  <EmptyState
    inCard
    icon={PlaygroundIcon}
    title={isRefused ? 'This page cannot be shown' : 'No version of the game is live'}
    action={<Snippet code="svc play 4 --page http://localhost:5173" label="A page on your machine" />}
  >
    {isRefused
      ? 'The Playground shows the hosted game or a page on your own machine: localhost or 127.0.0.1.'
      : 'Deploy it with svc deploy, or show a page on your own machine.'}
  </EmptyState>
)

/**
 * The page of the address's `?page=`: only of the developer's own machine, because a link can lead here. Never a page of the dashboard's
 * origin: a frame with its scripts and its origin could use the session of the developer. Undefined if it is refused.
 */
function localPage(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || !IS_THIS_MACHINE.test(url.hostname)) return undefined
  return url.origin === location.origin ? undefined : url.href
}
