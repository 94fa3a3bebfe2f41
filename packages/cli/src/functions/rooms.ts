import { setTimeout as pause } from 'node:timers/promises'

import type { Context } from '../context.ts'
import { counted } from '../output/output.ts'

const POLL_MS = 200
/** Starting a process and moving the state takes less than a second. */
const WAIT_MAX_MS = 10_000

type CodeRoom = { id: string; version: number; isRunning: boolean }

/** The open rooms that run code of the functions, and the version that each runs or starts in. */
export async function roomsWithCode({ calls }: Context): Promise<CodeRoom[]> {
  const { rooms } = await calls.admin('readLiveView', {})
  return rooms.flatMap(({ id, server }) =>
    server ? [{ id, version: server.version, isRunning: server.running }] : [],
  )
}

/** Waits until the rooms that were open before a deploy run the new version or are closed, and prints how many. */
export async function printContinuedRooms(context: Context, before: readonly CodeRoom[], version: number) {
  if (before.length === 0) return
  const { out, system } = context
  const deadline = system.now().getTime() + WAIT_MAX_MS
  for (;;) {
    const open = new Map((await roomsWithCode(context)).map((room) => [room.id, room]))
    const isContinued = ({ id }: CodeRoom) => open.get(id)?.version === version && open.get(id)?.isRunning
    const closed = before.filter(({ id }) => !open.has(id)).length
    const continued = before.filter(isContinued).length
    const isDone = closed + continued === before.length
    if (!isDone && system.now().getTime() < deadline) {
      await pause(POLL_MS)
      continue
    }
    const waiting = before.length - closed - continued
    const parts = [
      continued > 0 ? `${counted(continued, 'room')} continued in v${version}` : '',
      closed > 0 ? `${counted(closed, 'room')} closed` : '',
      waiting > 0 ? `${counted(waiting, 'room')} not moved yet` : '',
    ].filter(Boolean)
    if (closed + waiting > 0) out.warn(`${parts.join(', ')}; the reason is in the log: svc functions logs`)
    else out.info(parts.join(', '))
    return
  }
}
