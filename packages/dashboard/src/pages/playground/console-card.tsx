import { useState } from 'preact/hooks'

import { clockTime, counted, number } from '../../format.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select, TextField } from '../../ui/field.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { LiveDot } from '../../ui/live-dot.tsx'
import { notify } from '../../ui/messages.tsx'
import { Avatar, Chip, Name } from '../../ui/parts.tsx'
import type { ConsolePlayer } from './console-player.ts'
import { NetworkBar } from './network-bar.tsx'

const STATES = { offline: 'Disconnected', connecting: 'Connecting', online: 'Connected' }

type Props = { player: ConsolePlayer; modes: readonly string[] }

/** One player: network, room, and the frames of its connection. */
export function ConsoleCard({ player, modes }: Props) {
  const isOnline = player.state.value === 'online'
  const room = player.room.value
  const { paused } = player.network.conditions.value
  const roundTripMs = player.roundTripMs.value
  return (
    <section class="card simulated" aria-label={player.name}>
      <header class="row">
        <Avatar name={player.name} id={player.id} />
        <span class="grow stack tight">
          <span class="row">
            <h2 class="cut">
              <Name>{player.name}</Name>
            </h2>
            {room && <Chip tone="accent">{room.code}</Chip>}
          </span>
          <span class="row tiny faint">
            <LiveDot isOff={!isOnline || paused} /> {STATES[player.state.value]}
            {paused && ', paused'}
            {!paused && roundTripMs !== null && (
              <span class="tabular" title="Round trip, measured every 2 s">
                {number(roundTripMs)} ms
              </span>
            )}
          </span>
        </span>
        {player.state.value === 'offline' ? (
          <Button small onClick={player.connect}>
            Connect
          </Button>
        ) : (
          <Button small onClick={player.drop}>
            Disconnect
          </Button>
        )}
      </header>
      <NetworkBar name={player.name} network={player.network} />
      {room ? (
        <InRoom player={player} hasCode={room.server !== undefined} />
      ) : (
        <Lobby player={player} modes={modes} />
      )}
      <FrameLog player={player} />
    </section>
  )
}

const run = (work: Promise<unknown>) =>
  void work.catch((error: unknown) =>
    notify(error instanceof Error ? error.message : String(error), { isError: true }),
  )

function Lobby({ player, modes }: Props) {
  const [mode, setMode] = useState('')
  const [code, setCode] = useState('')
  const chosenMode = mode || modes[0]
  const isOnline = player.state.value === 'online'
  return (
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
        <Button small disabled={!isOnline} onClick={() => run(player.ask('create', { mode: chosenMode }))}>
          Create room
        </Button>
        <Button small disabled={!isOnline || code === ''} onClick={() => run(player.ask('join', { code }))}>
          Join
        </Button>
        {player.canResume() && (
          <Button small onClick={() => run(player.resume())}>
            Resume
          </Button>
        )}
      </div>
    </>
  )
}

/** In a room with code players only send messages: the code decides about the state. */
function InRoom({ player, hasCode }: { player: ConsolePlayer; hasCode: boolean }) {
  const [type, setType] = useState('playground')
  const [text, setText] = useState('{ "x": 1 }')
  const withJson = (act: (value: unknown) => Promise<unknown>) => {
    try {
      run(act(JSON.parse(text)))
    } catch {
      notify('Not valid JSON.', { isError: true })
    }
  }
  return (
    <>
      <div class="row end-aligned">
        <TextField label="Type" class="input mono" value={type} spellcheck={false} change={setType} />
        <TextField label="JSON" class="input mono" value={text} spellcheck={false} change={setText} />
      </div>
      <div class="row wrap">
        <Button small onClick={() => withJson((data) => player.ask('send', { type, data }))}>
          Send
        </Button>
        {!hasCode && (
          <>
            <Button small onClick={() => withJson((patch) => player.ask('setMyState', { patch }))}>
              Set my state
            </Button>
            <Button small onClick={() => withJson((patch) => player.ask('setState', { patch }))}>
              Set room state
            </Button>
          </>
        )}
        <Button small onClick={() => run(player.ask('leave'))}>
          Leave
        </Button>
      </div>
      <SeenState player={player} />
    </>
  )
}

function SeenState({ player }: { player: ConsolePlayer }) {
  const seen = player.seen.value
  if (!seen) return null
  const { state, own, tick } = seen
  return (
    <details class="seen-state" open>
      <summary class="tiny soft">
        What {player.name} sees{tick !== null && <span class="tabular">, tick {number(tick)}</span>}
      </summary>
      <JsonTree
        label={`State as ${player.name} sees it`}
        value={own === null || own === undefined ? state : { state, own }}
      />
    </details>
  )
}

const FrameLog = ({ player }: { player: ConsolePlayer }) => (
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
