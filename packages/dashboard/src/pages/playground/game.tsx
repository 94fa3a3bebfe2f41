import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { RefreshIcon } from '../../ui/icons.ts'
import { CopiedUrl, Segments } from '../../ui/parts.tsx'
import { GameFrame, type Screen } from './game-frame.tsx'
import { createGamePlayer, type GamePlayer } from './game-player.ts'
import type { Simulate } from './player-network.ts'

const COUNTS = ['1', '2', '3', '4'] as const
const SCREENS: Record<string, Screen | undefined> = {
  window: undefined,
  phone: { width: 390, height: 844 },
  sideways: { width: 844, height: 390 },
}
const ROOMS_EVERY_MS = 2_000

/** By project. They keep their networks while other pages are open. */
const playersOf = new Map<string, readonly GamePlayer[]>()

function gamePlayers({ project }: Route, simulate: Simulate): readonly GamePlayer[] {
  const known = playersOf.get(project.id)
  if (known) return known
  const players = COUNTS.map((number) => createGamePlayer(Number(number), simulate))
  playersOf.set(project.id, players)
  return players
}

type Props = { route: Route; url: string; simulate: Simulate }

/** The app itself for several players, side by side. `?players=4` in the address says how many. */
export function Game({ route, url, simulate }: Props) {
  const count = COUNTS.find((one) => one === route.query['players']) ?? '2'
  const shape = Object.hasOwn(SCREENS, route.query['screen'] ?? '') ? (route.query['screen'] ?? '') : 'window'
  const players = gamePlayers(route, simulate).slice(0, Number(count))
  const live = useCall(
    'readLiveView',
    { params: route.params },
    { everyMs: ROOMS_EVERY_MS, enabled: players.some(({ playerId }) => playerId.value !== null) },
  )
  const show = (changed: object) =>
    route.go('playground', '', { ...route.query, ...changed }, { replace: true })
  return (
    <>
      <div class="row wrap">
        <Segments
          label="Players"
          items={COUNTS.map((id) => ({ id, title: id === '1' ? '1 player' : id }))}
          chosen={count}
          choose={(players) => show({ players })}
        />
        <Segments
          label="Screen"
          items={[
            { id: 'window', title: 'Window' },
            { id: 'phone', title: 'Phone' },
            { id: 'sideways', title: 'Sideways' },
          ]}
          chosen={shape}
          choose={(screen) => show({ screen })}
        />
        <Button icon={RefreshIcon} onClick={() => players.forEach((player) => player.reload())}>
          Reload all
        </Button>
        <span class="grow" />
        <CopiedUrl url={url} />
      </div>
      <div class={`games ${shape}`}>
        {players.map((player) => (
          <GameFrame
            key={player.name}
            route={route}
            player={player}
            url={url}
            screen={SCREENS[shape]}
            rooms={live.data?.rooms ?? []}
          />
        ))}
      </div>
    </>
  )
}
