import { setTimeout as pause } from 'node:timers/promises'

import type { ResponseOf } from '@svc/contract/common/endpoint'
import type { readLiveView } from '@svc/contract/realtime/live-view'

import type { CommandGroup } from '../command-line/command-group.ts'
import { flag, number } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { isFailure } from '../output/failure.ts'
import { counted, type Output, printable } from '../output/output.ts'
import { addCodeRoomCommands } from './code-rooms.ts'

/** Adds `svc rooms …`. */
export function addRoomCommands(program: CommandGroup) {
  const rooms = program.group('rooms', 'live rooms and channels', { defaultName: 'watch' })
  rooms.command(
    'watch',
    'show connections, rooms, queues and channels; in a terminal refresh until Ctrl-C, elsewhere print once',
    watchRooms,
    {
      once: flag('--once', 'print once and exit'),
      interval: number('--interval <seconds>', 'refresh interval (default: 1); without a terminal, keep on'),
    },
  )
  addCodeRoomCommands(rooms)
}

type LiveView = ResponseOf<typeof readLiveView>
type LiveRoomServer = NonNullable<LiveView['rooms'][number]['server']>
type Watch = { once?: boolean; interval?: number }

const FAILURES_MAX = 5
const INTERVAL_S = 1

/**
 * Prints the live view until Ctrl-C: redrawn in a terminal, elsewhere a new block of lines at every change. A script that did not ask for
 * this gets it once.
 */
async function watchRooms({ calls, out, env, system }: Context, options: Watch) {
  const { interval = INTERVAL_S } = options
  const once = options.once ?? (!out.isTerminal && options.interval === undefined)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) system.signals.once(signal, () => stop.abort())
  let last = ''
  let failures = 0

  while (!stop.signal.aborted) {
    const view = await calls.admin('readLiveView', {}).catch((error: unknown) => {
      // The service may be restarting.
      if (once || !isFailure(error, 'unreachable', 'service_unavailable') || ++failures > FAILURES_MAX)
        throw error
    })
    if (view && once) {
      draw(out, env, view)
      return view
    }
    if (view) failures = 0
    const text = JSON.stringify(view)
    if (view && text !== last) {
      last = text
      out.resultLine({ at: system.now().toISOString(), ...view })
      out.redraw(() => draw(out, env, view))
    }
    await pause(interval * 1_000, undefined, { signal: stop.signal }).catch(() => {})
  }
  return undefined
}

function draw(out: Output, env: string, { connections, rooms, queues, channels }: LiveView) {
  out.line(
    [
      env,
      counted(connections, 'connection'),
      counted(rooms.length, 'room'),
      counted(channels.length, 'channel'),
    ].join('   '),
  )
  for (const { code, mode, players, maxPlayers, locked, server } of rooms) {
    const names = players.map(
      ({ displayName, id, connected }) => `${displayName ?? id}${connected ? '' : ' (away)'}`,
    )
    out.line(
      `room ${code}  ${mode}  ${players.length}/${maxPlayers}${locked ? '  locked' : ''}${server ? `  ${codeText(server)}` : ''}  ${printable(names.join(', '))}`,
    )
  }
  for (const { mode, pool, waiting } of queues)
    out.line(`queue ${mode}${pool === undefined ? '' : `  pool ${pool}`}  ${waiting} waiting`)
  for (const { channel, members } of channels) out.line(`channel ${channel}  ${counted(members, 'member')}`)
}

/** `Arena v3 tick 1200, 2 late, 1 error` */
function codeText({ className, version, tick, lateTicks, errors, running }: LiveRoomServer): string {
  const parts = [
    `${className} v${version} ${running ? `tick ${tick}` : 'starting'}`,
    lateTicks > 0 ? `${lateTicks} late` : '',
    errors > 0 ? counted(errors, 'error') : '',
  ]
  return parts.filter(Boolean).join(', ')
}
