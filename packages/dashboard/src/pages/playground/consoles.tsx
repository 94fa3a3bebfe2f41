import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { call } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { PlaygroundIcon, PlusIcon } from '../../ui/icons.ts'
import { notifyError } from '../../ui/messages.tsx'
import { Card } from '../../ui/parts.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { ConsoleCard } from './console-card.tsx'
import { type ConsolePlayer, createConsolePlayer } from './console-player.ts'
import type { Simulate } from './player-network.ts'

const PLAYERS_MAX = 4

/** By project. They stay connected while other pages are open, so that Live shows them. */
const players = signal<Readonly<Record<string, readonly ConsolePlayer[]>>>({})

/** Up to four players without the app, with real sessions and real connections. `?players=4` in the address adds them. */
export function Consoles({ route, simulate }: { route: Route; simulate: Simulate }) {
  const config = useCall('readConfig', { params: route.params })
  const modes = config.data?.config.multiplayer?.modes?.map(({ key }) => key) ?? []
  const own = players.value[route.project.id] ?? []
  const add = useAction(async (count: number) => {
    const { key, sessions } = await call('createPlaygroundPlayers', {
      params: route.params,
      body: { count, firstNumber: own.length + 1 },
    })
    const added = sessions.map((session) => createConsolePlayer(key, session, simulate))
    for (const player of added) player.connect()
    const all = [...(players.value[route.project.id] ?? []), ...added]
    players.value = { ...players.value, [route.project.id]: all }
    const query = { ...route.query, players: String(all.length) }
    route.go('playground', '', query, { replace: true })
  }, notifyError)
  const wanted = Math.min(Number.parseInt(route.query['players'] ?? '', 10) || 0, PLAYERS_MAX)
  useEffect(() => {
    if (wanted > own.length) add.run(wanted - own.length)
  }, [])
  if (own.length === 0)
    return wanted > 0 && add.busy ? (
      <Card>
        <Skeleton lines={8} />
      </Card>
    ) : (
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
    )
  return (
    <>
      <div class="row">
        <Button
          icon={PlusIcon}
          busy={add.busy}
          disabled={own.length >= PLAYERS_MAX}
          onClick={() => add.run(1)}
        >
          Add player
        </Button>
      </div>
      <div class="playground">
        {own.map((player) => (
          <ConsoleCard key={player.id} player={player} modes={modes} />
        ))}
      </div>
    </>
  )
}
