import type { LiveRoom } from '@svc/contract/realtime/rooms'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import type { Route } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { RefreshIcon, TeamIcon } from '../../ui/icons.ts'
import { LiveDot } from '../../ui/live-dot.tsx'
import { Chip, Name } from '../../ui/parts.tsx'
import type { GamePlayer } from './game-player.ts'
import { NetworkBar } from './network-bar.tsx'

/** The size of the page in CSS pixels; the frame is scaled to the place that it has. */
export type Screen = { width: number; height: number }

/**
 * The page has its own origin (`allow-same-origin`), which is never that of the dashboard, so it cannot read the session of the
 * developer. It cannot lead this tab to another page, open dialogs or start downloads.
 */
const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-pointer-lock allow-orientation-lock'

type Props = {
  route: Route
  player: GamePlayer
  url: string
  screen: Screen | undefined
  rooms: readonly LiveRoom[]
}

/** One player of the game: the page of the game, and the network of its player. */
export function GameFrame({ route, player, url, screen, rooms }: Props) {
  const id = player.playerId.value
  const seat = rooms.flatMap(({ code, players }) =>
    players.filter((one) => one.id === id).map((one) => ({ ...one, code })),
  )[0]
  return (
    <section class="card game" aria-label={player.name}>
      <div class="game-head">
        <header class="row">
          <span class="grow stack tight">
            <span class="row">
              <h2>{player.name}</h2>
              {seat && <Chip tone="accent">{seat.code}</Chip>}
            </span>
            <span class="row tiny faint">
              <LiveDot isOff={!seat?.connected || player.network.conditions.value.paused} />
              {id === null ? (
                'Not connected'
              ) : (
                <a class="cut" href={route.href('players', id)}>
                  {seat ? <Name>{seat.displayName}</Name> : 'Signed in'}
                </a>
              )}
            </span>
          </span>
          <Button small icon={RefreshIcon} label={`Reload ${player.name}`} onClick={player.reload} />
          <Button small icon={TeamIcon} label={`New guest for ${player.name}`} onClick={player.replace} />
        </header>
        <NetworkBar name={player.name} network={player.network} />
      </div>
      <Page player={player} url={url} screen={screen} />
    </section>
  )
}

function Page({ player, url, screen }: Pick<Props, 'player' | 'url' | 'screen'>) {
  const { name, loads } = player.frame.value
  const place = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLIFrameElement>(null)
  // Before the page is loaded.
  useLayoutEffect(() => {
    const receive = ({ source, data }: MessageEvent<unknown>) => {
      if (source !== null && source === frame.current?.contentWindow) player.receive(data)
    }
    addEventListener('message', receive)
    return () => removeEventListener('message', receive)
  }, [player])
  const width = useWidth(place)
  return (
    <div
      ref={place}
      class="game-place"
      style={screen && { aspectRatio: `${screen.width} / ${screen.height}`, maxWidth: `${screen.width}px` }}
    >
      <iframe
        key={`${name} ${loads}`}
        ref={frame}
        name={name}
        title={`The game of ${player.name}`}
        src={url}
        sandbox={SANDBOX}
        allow="autoplay; fullscreen; gamepad"
        style={
          screen && {
            width: `${screen.width}px`,
            height: `${screen.height}px`,
            transform: `scale(${width / screen.width})`,
          }
        }
      />
    </div>
  )
}

function useWidth(place: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width))
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return width
}
