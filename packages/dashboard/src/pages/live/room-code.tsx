import type { LiveRoom } from '@svc/contract/realtime/rooms'

import { number, perSecond } from '../../format.ts'
import { isAllowed } from '../../roles.ts'
import type { Route } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { HistoryIcon, LogsIcon } from '../../ui/icons.ts'
import { Chip, Facts } from '../../ui/parts.tsx'

type Props = { route: Route; room: LiveRoom; server: NonNullable<LiveRoom['server']> }

/** Whether the person can see the turns of rooms. */
export const isRecorded = (route: Route): boolean =>
  route.env === 'development' && isAllowed('readRoomTurns', route)

export const turnsHref = (route: Route, roomId: string): string =>
  route.href('live', roomId, { view: 'turns' })

/** How the code of a room runs, and where to look further. */
export const RoomCode = ({ route, room, server }: Props) => (
  <section class="panel-section room-state">
    <h3 class="row">
      <span class="grow">Code</span>
      {server.running ? <Chip tone="good">Running</Chip> : <Chip tone="warn">Starting</Chip>}
    </h3>
    <Facts
      rows={[
        ['Class', <code class="cut">{server.className}</code>],
        ['Version', `v${number(server.version)}`],
        ['Ticks', server.tickRate === 0 ? 'only when something arrives' : `${number(server.tickRate)}/s`],
        ['Last tick', number(server.tick)],
        ['Late ticks', <Count of={server.lateTicks} tone="warn" />],
        ['CPU', `${perSecond(server.cpuMsPerSecond)} ms/s`],
        ['Errors', <Count of={server.errors} tone="bad" />],
      ]}
    />
    <div class="row wrap">
      {isAllowed('readFunctionLogs', route) && (
        <LinkButton small icon={LogsIcon} href={route.href('functions', '', { q: room.id })}>
          Log of this room
        </LinkButton>
      )}
      {isRecorded(route) && (
        <LinkButton small icon={HistoryIcon} href={turnsHref(route, room.id)}>
          Time travel
        </LinkButton>
      )}
    </div>
  </section>
)

/** 0 is quiet. */
const Count = ({ of, tone }: { of: number; tone: 'warn' | 'bad' }) =>
  of === 0 ? <>0</> : <Chip tone={tone}>{number(of)}</Chip>
