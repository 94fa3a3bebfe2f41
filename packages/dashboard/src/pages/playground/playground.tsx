import { signal } from '@preact/signals'
import type { NetworkConditions } from '@svc/contract/playground'
import { useEffect } from 'preact/hooks'

import { call } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { LiveIcon, PlaygroundIcon, PlusIcon } from '../../ui/icons.ts'
import { notifyError } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Card } from '../../ui/parts.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { PlayerCard } from './player-card.tsx'
import { createSimulatedPlayer, type SimulatedPlayer } from './simulated-player.ts'

const PLAYERS_MAX = 4

/** By project. They stay connected while other pages are open, so that Live shows them. */
const players = signal<Readonly<Record<string, readonly SimulatedPlayer[]>>>({})

/** Up to four players with real sessions and real connections, in development only. `?players=4` in the address adds them. */
export default function Playground({ route }: { route: Route }) {
  const config = useCall('readConfig', { params: route.params })
  const modes = config.data?.config.multiplayer?.modes?.map(({ key }) => key) ?? []
  const own = players.value[route.project.id] ?? []
  const add = useAction(async (count: number) => {
    const { key, sessions } = await call('createPlaygroundPlayers', {
      params: route.params,
      body: { count },
    })
    const simulate = (playerId: string, conditions: NetworkConditions) =>
      call('simulateNetwork', { params: route.params, body: { playerId, ...conditions } })
    const added = sessions.map((session) => createSimulatedPlayer(key, session, { simulate }))
    for (const player of added) player.connect()
    const all = [...(players.value[route.project.id] ?? []), ...added]
    players.value = { ...players.value, [route.project.id]: all }
    route.go('playground', '', { players: String(all.length) }, { replace: true })
  }, notifyError)
  const wanted = Math.min(Number.parseInt(route.query['players'] ?? '', 10) || 0, PLAYERS_MAX)
  useEffect(() => {
    if (route.env === 'development' && wanted > own.length) add.run(wanted - own.length)
  }, [])
  if (route.env === 'production')
    return (
      <Page title="Playground">
        <EmptyState inCard icon={PlaygroundIcon} title="Only in development">
          Simulated players would mix with real ones.
        </EmptyState>
      </Page>
    )

  return (
    <Page
      title="Playground"
      class="wide"
      side={
        <>
          <LinkButton icon={LiveIcon} href={route.href('live')}>
            Live
          </LinkButton>
          <Button
            kind="main"
            icon={PlusIcon}
            busy={add.busy}
            disabled={own.length >= PLAYERS_MAX}
            onClick={() => add.run(1)}
          >
            Add player
          </Button>
        </>
      }
    >
      {own.length === 0 && wanted > 0 && add.busy ? (
        <Card>
          <Skeleton lines={8} />
        </Card>
      ) : own.length === 0 ? (
        <EmptyState
          inCard
          icon={PlaygroundIcon}
          title="Try rooms without an app"
          action={
            <Button kind="main" busy={add.busy} onClick={() => add.run(2)}>
              Add two players
            </Button>
          }
        >
          These players are real guests with real connections. They are deleted after 24 hours.
        </EmptyState>
      ) : (
        <div class="playground">
          {own.map((player) => (
            <PlayerCard key={player.id} player={player} modes={modes} />
          ))}
        </div>
      )}
    </Page>
  )
}
