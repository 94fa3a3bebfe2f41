import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { clockTime, counted } from '../../format.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Field, Select, TextField } from '../../ui/field.tsx'
import { LiveIcon, PlaygroundIcon, PlusIcon } from '../../ui/icons.ts'
import { LiveDot } from '../../ui/live-dot.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Avatar, Chip, Name } from '../../ui/parts.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { createSimulatedPlayer, type SimulatedPlayer } from './simulated-player.ts'

const PLAYERS_MAX = 4

/** By project. They stay connected while other pages are open, so that Live shows them. */
const players = signal<Readonly<Record<string, readonly SimulatedPlayer[]>>>({})

/** Up to four players with real sessions and real connections, in development only. */
export default function Playground({ route }: { route: Route }) {
  const config = useCall('readConfig', { params: route.params })
  const modes = config.data?.config.multiplayer?.modes?.map(({ key }) => key) ?? []
  const own = players.value[route.project.id] ?? []
  const add = useAction(async (count: number) => {
    const { key, sessions } = await call('createPlaygroundPlayers', {
      params: route.params,
      body: { count },
    })
    const added = sessions.map((session) => createSimulatedPlayer(key, session))
    for (const player of added) player.connect()
    players.value = { ...players.value, [route.project.id]: [...own, ...added] }
  }, notifyError)
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
      {own.length === 0 ? (
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

const STATES = { offline: 'Disconnected', connecting: 'Connecting', online: 'Connected' }

function PlayerCard({ player, modes }: { player: SimulatedPlayer; modes: readonly string[] }) {
  const [mode, setMode] = useState('')
  const [code, setCode] = useState('')
  const [text, setText] = useState('{ "x": 1 }')
  const run = (work: Promise<unknown>) =>
    void work.catch((error: unknown) =>
      notify(error instanceof Error ? error.message : String(error), { isError: true }),
    )
  const chosenMode = mode || modes[0]
  const withJson = (act: (value: unknown) => Promise<unknown>) => {
    try {
      run(act(JSON.parse(text)))
    } catch {
      notify('Not valid JSON.', { isError: true })
    }
  }
  const isOnline = player.state.value === 'online'
  const room = player.room.value
  return (
    <section class="card simulated" aria-label={player.name}>
      <header class="row">
        <Avatar name={player.name} id={player.id} />
        <span class="grow stack tight">
          <h2 class="cut">
            <Name>{player.name}</Name>
          </h2>
          <span class="row tiny faint">
            <LiveDot isOff={!isOnline} /> {STATES[player.state.value]}
            {player.latencyMs.value !== null && `, ${player.latencyMs.value} ms`}
          </span>
        </span>
        {room && <Chip tone="accent">{room.code}</Chip>}
        {player.state.value === 'offline' ? (
          <Button small onClick={player.connect}>
            Connect
          </Button>
        ) : (
          <Button small onClick={player.drop}>
            {' '}
            Disconnect{' '}
          </Button>
        )}
      </header>
      {room ? (
        <>
          <TextField label="JSON" class="input mono" value={text} spellcheck={false} change={setText} />
          <div class="row wrap">
            <Button
              small
              onClick={() => withJson((data) => player.ask('send', { type: 'playground', data }))}
            >
              Send
            </Button>
            <Button small onClick={() => withJson((patch) => player.ask('setMyState', { patch }))}>
              Set my state
            </Button>
            <Button small onClick={() => withJson((patch) => player.ask('setState', { patch }))}>
              Set room state
            </Button>
            <Button small onClick={() => run(player.ask('leave'))}>
              Leave
            </Button>
          </div>
        </>
      ) : (
        <>
          <div class="row end-aligned">
            <Field label="Mode">
              {(id) => (
                <Select
                  id={id}
                  items={(modes.length > 0 ? modes : ['default']).map((one) => ({ id: one, title: one }))}
                  value={chosenMode}
                  change={setMode}
                />
              )}
            </Field>
            <TextField
              label="Room code"
              class="input mono"
              value={code}
              spellcheck={false}
              change={(text) => setCode(text.toUpperCase())}
            />
          </div>
          <div class="row wrap">
            <Button
              small
              disabled={!isOnline}
              onClick={() => run(player.ask('quickMatch', { mode: chosenMode }))}
            >
              Quick match
            </Button>
            <Button
              small
              disabled={!isOnline}
              onClick={() => run(player.ask('create', { mode: chosenMode }))}
            >
              Create room
            </Button>
            <Button
              small
              disabled={!isOnline || code === ''}
              onClick={() => run(player.ask('join', { code }))}
            >
              Join
            </Button>
            {player.canResume() && (
              <Button small onClick={() => run(player.resume())}>
                Resume
              </Button>
            )}
          </div>
        </>
      )}
      <FrameLog player={player} />
    </section>
  )
}

const FrameLog = ({ player }: { player: SimulatedPlayer }) => (
  <div class="frame-log">
    <p class="tiny faint">{counted(player.frames.value.length, 'frame', 'frames')}, newest first</p>
    <ol tabIndex={0} aria-label={`${player.name}’s frames`}>
      {player.frames.value.toReversed().map(({ id, atMs, isSent, text }) => (
        <li key={id} title={clockTime(atMs)}>
          <span class={isSent ? 'is-good' : 'soft'}>
            <span aria-hidden="true">{isSent ? '↑' : '↓'}</span>
            <span class="visually-hidden">{isSent ? 'sent' : 'received'}</span>
          </span>
          <code>{text}</code>
        </li>
      ))}
    </ol>
  </div>
)
