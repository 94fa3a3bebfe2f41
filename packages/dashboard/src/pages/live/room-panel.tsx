import type { LiveRoom } from '@svc/contract/realtime/rooms'

import { age, bytes, perSecond } from '../../format.ts'
import type { Route } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { HiddenIcon, HistoryIcon, HostIcon, LiveIcon, LockIcon } from '../../ui/icons.ts'
import { Panel } from '../../ui/panel.tsx'
import { Avatar, Chip, CopiedId, Facts, Name, Time } from '../../ui/parts.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { isRecorded, RoomCode, turnsHref } from './room-code.tsx'
import { RoomState } from './room-state.tsx'

type Props = { route: Route; room: LiveRoom | undefined; onClose: () => void }

/** Who is in a room; never what is said. What the state contains only if code of the developer runs in it. */
export const RoomPanel = ({ route, room, onClose }: Props) => (
  <Panel title="Room" onClose={onClose}>
    {room ? (
      <>
        <div class="stack">
          <h2 class="room-code">
            <code>{room.code}</code>
          </h2>
          <CopiedId id={room.id} />
        </div>
        <div class="row wrap chips">
          <Chip tone="accent">{room.mode}</Chip>
          <Chip>
            {room.server ? 'With code' : room.transport === 'p2p' ? 'Peer to peer' : 'Through the server'}
          </Chip>
          {room.locked && <Chip icon={LockIcon}>Locked</Chip>}
          {room.private && <Chip icon={HiddenIcon}>Private</Chip>}
        </div>
        <Facts
          rows={[
            ['Seats', `${room.players.length} of ${room.maxPlayers}`],
            ['Created', <Time iso={room.createdAt}>{age(room.createdAt)} ago</Time>],
            ['Shared state', bytes(room.stateBytes)],
            ['Messages', `${perSecond(room.messagesPerSecond)}/s`],
            ['Node', <code class="cut">{room.node}</code>],
          ]}
        />
        {room.server && <RoomCode route={route} room={room} server={room.server} />}
        <section class="panel-section">
          <h3>
            Players <span class="faint tabular">{room.players.length}</span>
          </h3>
          <ul class="members">
            {room.players.map((player) => (
              <li key={player.id}>
                <a class="row" href={route.href('players', player.id)}>
                  <Avatar name={player.displayName ?? ''} id={player.id} />
                  <span class="grow cut">
                    <Name>{player.displayName}</Name>
                  </span>
                  {player.id === room.hostId && <Chip icon={HostIcon}>Host</Chip>}
                  {!player.connected && <Chip tone="warn">Disconnected</Chip>}
                </a>
              </li>
            ))}
          </ul>
        </section>
        {room.server ? (
          <RoomState route={route} room={room} />
        ) : (
          <p class="tiny faint">Messages and state contents are never shown here.</p>
        )}
      </>
    ) : (
      <EmptyState
        icon={LiveIcon}
        title="This room has ended"
        action={
          isRecorded(route) && (
            <LinkButton icon={HistoryIcon} href={turnsHref(route, route.id)}>
              Time travel
            </LinkButton>
          )
        }
      >
        {isRecorded(route)
          ? 'If code ran in it, its last turns can be seen for ten minutes.'
          : 'Ended rooms are not kept.'}
      </EmptyState>
    )}
  </Panel>
)
