import type { Background } from '../../platform/background.ts'
import type { FunctionLogText } from '../../platform/ports/functions-engine.ts'
import type { Owners } from './owners/owners.ts'

type RoomLogsDeps = {
  owners: Pick<Owners, 'call'>
  background: Pick<Background, 'run'>
  report(failure: object): void
}

const SEND_DELAY_MS = 500
/** For an owner that cannot be reached. */
const LINES_MAX = 1_000
/** A line has up to 16 KB. */
const LINES_PER_CALL = 100

export type RoomLogs = ReturnType<typeof createRoomLogs>

/** Log lines of the rooms of this node, for the log of their functions, which the owner of the functions keeps. */
export function createRoomLogs({ owners, background, report }: RoomLogsDeps) {
  const waiting = new Map<string, { environmentId: string; dataId: string; lines: FunctionLogText[] }>()
  let timer: NodeJS.Timeout | undefined

  async function sendAll() {
    timer = undefined
    const all = [...waiting.values()]
    waiting.clear()
    for (const { environmentId, dataId, lines } of all)
      try {
        while (lines.length > 0)
          await owners.call(environmentId, 'log', { dataId, lines: lines.splice(0, LINES_PER_CALL) })
      } catch (error) {
        report({ environmentId, err: error })
      }
  }

  return {
    add(environmentId: string, dataId: string, line: FunctionLogText) {
      const of = waiting.get(dataId) ?? { environmentId, dataId, lines: [] }
      waiting.set(dataId, of)
      of.lines.push(line)
      if (of.lines.length > LINES_MAX) of.lines.shift()
      timer ??= setTimeout(() => background.run(sendAll), SEND_DELAY_MS).unref()
    },

    /** Before this node stops. */
    async flush() {
      clearTimeout(timer)
      await sendAll()
    },
  }
}
