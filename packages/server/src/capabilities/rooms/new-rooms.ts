import type { RoomMatch } from '@svc/contract/realtime/rooms'

import type { Actors } from '../../platform/actors/actors.ts'
import { ApiError, invalidField } from '../../platform/api-error.ts'
import { type Clock, SECOND_MS, timestamp } from '../../platform/clock.ts'
import type { Ids } from '../../platform/random.ts'
import type { Mode, Modes } from './modes.ts'
import { type JoiningPlayer, type NewRoom, roomActorName } from './room-protocol.ts'

type Deps = {
  ask: Actors['ask']
  modes: Modes
  clock: Clock
  ids: Ids
  /** Called after a room was created. */
  opened(environmentId: string): void
  /** Called for each player who has got a seat. */
  seated(environmentId: string, roomId: string, joiningPlayer: JoiningPlayer): Promise<void>
}

type NewRoomOptions = Partial<
  Pick<NewRoom, 'private' | 'maxPlayers' | 'metadata' | 'code' | 'hostOnlyState' | 'match'> & {
    /** JSON text. */
    options: string
  }
>

/** Opens new rooms: for players, for matchmaking and for the developer's server. */
export function createNewRooms({ ask, modes, clock, ids, opened, seated }: Deps) {
  async function open(
    environmentId: string,
    mode: Mode,
    joiningPlayers: readonly JoiningPlayer[],
    options: NewRoomOptions = {},
  ) {
    const room: NewRoom = {
      id: ids('rom'),
      code: options.code,
      mode: mode.key,
      transport: mode.transport === 'p2p' ? 'p2p' : 'server',
      private: options.private ?? false,
      maxPlayers: options.maxPlayers ?? mode.maxPlayers,
      metadata: options.metadata ?? 'null',
      hostOnlyState: options.hostOnlyState ?? false,
      createdAt: timestamp(clock),
      ...(options.match && { match: options.match }),
    }
    const name = roomActorName(environmentId, room.id)
    const newCode = mode.room && {
      className: mode.room.class,
      finishMinutes: mode.room.finishMinutes,
      ...(mode.room.keepDays !== undefined && { keepDays: mode.room.keepDays }),
      options: options.options ?? 'null',
    }
    const message = { type: 'create', room, joiningPlayers, ...(newCode && { newCode }) } as const
    const { view, refused } = await ask(name, message, 'any')
    opened(environmentId)
    for (const joiningPlayer of joiningPlayers)
      if (!refused.some(({ ref }) => ref === joiningPlayer.ref))
        await seated(environmentId, room.id, joiningPlayer)
    return { id: room.id, createdAt: room.createdAt, view, refused }
  }

  const matchOf = ({ minPlayers, backfillSeconds }: Mode, pool: string | null): RoomMatch => ({
    minPlayers,
    backfillUntil: backfillSeconds === null ? null : timestamp(clock, backfillSeconds * SECOND_MS),
    pool,
  })

  return {
    open,

    /** For matchmaking: opens a room that later players can join. */
    openMatch: (
      environmentId: string,
      mode: Mode,
      pool: string | null,
      joiningPlayers: readonly JoiningPlayer[],
    ) => open(environmentId, mode, joiningPlayers, { match: matchOf(mode, pool) }),

    /** For the developer's server. Players join it by id or code. */
    async openByServer(
      environmentId: string,
      modeKey: string,
      options: Pick<NewRoomOptions, 'private' | 'code' | 'options'>,
    ): Promise<{ id: string; code: string; mode: string; createdAt: string }> {
      const mode = await modes.require(environmentId, modeKey)
      if (!mode.room) throw invalidField('$.mode', 'must be a mode with `room` in the config')
      const { id, createdAt } = await open(environmentId, mode, [], options)
      const info = await ask(roomActorName(environmentId, id), { type: 'describe' })
      if (!info) throw new ApiError('room_failed')
      return { id, code: info.code, mode: mode.key, createdAt }
    },
  }
}
