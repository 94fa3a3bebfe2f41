import type { RoomStateView } from '@svc/contract/realtime/code-rooms'
import type { LiveRoom } from '@svc/contract/realtime/rooms'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { bytes, clockTime, number } from '../../format.ts'
import { nowMs } from '../../platform.ts'
import { refresh, useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { notifyError } from '../../ui/messages.tsx'
import { Name } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

const EVERY_MS = 1_000
const REASON_LENGTH_MIN = 3
const REASON_LENGTH_MAX = 200

type Props = { route: Route; room: LiveRoom }

/** What a room with code holds: in development always, in production after a reason that the audit log keeps. */
export const RoomState = ({ route, room }: Props) => (
  <section class="panel-section room-state">
    <h3>State</h3>
    <Allowed route={route} call="readRoomState" to="see the state of rooms">
      {route.env === 'development' ? (
        <LiveState route={route} room={room} />
      ) : (
        <StateForReason key={room.id} route={route} room={room} />
      )}
    </Allowed>
  </section>
)

const paramsOf = (route: Route, room: LiveRoom) => ({ ...route.params, roomId: room.id })

function LiveState({ route, room }: Props) {
  const answer = useCall('readRoomState', { params: paramsOf(route, room), query: {} }, { everyMs: EVERY_MS })
  return (
    <Loaded answer={answer} lines={4}>
      {(view) => (
        <>
          <p class="tiny faint tabular">
            Tick {number(view.tick)}, {bytes(view.stateBytes)}, every second
          </p>
          <States view={view} room={room} />
        </>
      )}
    </Loaded>
  )
}

type Read = { view: RoomStateView; atMs: number; reason: string }

/** Every reading is an entry in the audit log: nothing is read again without a click. */
function StateForReason({ route, room }: Props) {
  const [isAsking, setAsking] = useState(false)
  const [last, setLast] = useState<Read>()
  const read = async (reason: string) => {
    const view = await call('readRoomState', { params: paramsOf(route, room), query: { reason } })
    setLast({ view, reason, atMs: nowMs() })
    refresh('listAudit')
  }
  const again = useAction(() => read(last?.reason ?? ''), notifyError)
  return (
    <>
      {last ? (
        <>
          <p class="tiny faint">
            Tick {number(last.view.tick)}, {bytes(last.view.stateBytes)}, read at {clockTime(last.atMs)}. The
            audit log has your reason: <bdi>{last.reason}</bdi>
          </p>
          <States view={last.view} room={room} />
          <div class="row">
            <Button small busy={again.busy} onClick={again.run}>
              Read again in production
            </Button>
          </div>
        </>
      ) : (
        <>
          <p class="small soft">
            {bytes(room.stateBytes)} of shared state. What players do is not shown without a reason.
          </p>
          <div class="row">
            <Button small onClick={() => setAsking(true)}>
              Show state
            </Button>
          </div>
        </>
      )}
      {isAsking && <ReasonDialog route={route} read={read} onClose={() => setAsking(false)} />}
    </>
  )
}

type DialogProps = { route: Route; read: (reason: string) => Promise<void>; onClose: () => void }

function ReasonDialog({ route, read, onClose }: DialogProps) {
  const [reason, setReason] = useState('')
  const trimmed = reason.trim()
  const show = useAction(async () => {
    await read(trimmed)
    onClose()
  })
  return (
    <FormDialog
      route={route}
      title="Show the state of this room?"
      about="It shows what real players are doing. The audit log keeps your name and your reason."
      submit="Show in production"
      disabled={trimmed.length < REASON_LENGTH_MIN}
      action={show}
      onClose={onClose}
    >
      <TextField
        label="Reason"
        hint="Such as the report of a player that you look into."
        value={reason}
        change={setReason}
        maxLength={REASON_LENGTH_MAX}
        autocomplete="off"
        autofocus
      />
    </FormDialog>
  )
}

function States({ view, room }: { view: RoomStateView; room: LiveRoom }) {
  const own = Object.entries(view.own ?? {})
  const names = new Map(room.players.map(({ id, displayName }) => [id, displayName ?? id]))
  const nameOf = (id: string) => names.get(id) ?? id
  return (
    <>
      <JsonTree label="Shared state" value={view.state ?? {}} names={names} />
      {own.map(([playerId, value]) => (
        <div key={playerId} class="room-state">
          <h4 class="tiny">
            Only <Name>{nameOf(playerId)}</Name> sees
          </h4>
          <JsonTree label={`Own state of ${nameOf(playerId)}`} value={value} names={names} />
        </div>
      ))}
    </>
  )
}
