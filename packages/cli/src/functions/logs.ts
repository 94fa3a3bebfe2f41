import type { SourceMap } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'

import type { FunctionLogLine } from '@svc/contract/functions'

import type { Context } from '../context.ts'
import { isFailure } from '../output/failure.ts'
import { printableLines } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'
import { folderOf } from './folder.ts'
import { readSourceMap, sourcePosition } from './source-map.ts'

export const POLL_MS = 1_000
/** Frames of the service around the code. */
const OWN_FRAME = /^\s+at .*\bsvc-(?:wrap|main)\.js\b/

type LogOptions = { follow?: boolean; level?: FunctionLogLine['level']; limit?: number }

/** With `follow` until the command is ended; the service may restart in the meantime. */
export async function showLogs(context: Context, { follow, level, limit }: LogOptions, directory?: string) {
  const { calls, out } = context
  const folder = folderOf(context, directory)
  const query = withoutUndefined({ level, limit })
  const read = await calls.admin('readFunctionLogs', { query })
  if (!follow) {
    const map = readSourceMap(folder)
    for (const line of read.lines) out.text(lineText(line, map))
    if (read.lines.length === 0) out.info('no lines yet')
    return read
  }
  printLines(context, read.lines, folder)
  for (let after = read.next; ;) {
    await pause(POLL_MS)
    after = await printNewLines(context, withoutUndefined({ after, folder, level }))
  }
}

type Following = { after: string | null; folder: string; level?: FunctionLogLine['level'] }

/** Returns the id to continue after. */
export async function printNewLines(context: Context, { after, folder, level }: Following) {
  const query = withoutUndefined({ after: after ?? undefined, level })
  try {
    const { lines, next } = await context.calls.admin('readFunctionLogs', { query })
    printLines(context, lines, folder)
    return next
  } catch (error) {
    if (isFailure(error, 'unreachable', 'service_unavailable')) return after
    throw error
  }
}

/** Reads the source map each time: another version may have been deployed. */
function printLines({ out }: Context, lines: readonly FunctionLogLine[], folder: string) {
  const map = lines.length > 0 ? readSourceMap(folder) : undefined
  for (const line of lines) {
    out.text(lineText(line, map))
    out.resultLine(line)
  }
}

/** Stacks name the lines of the source, as long as the version was deployed from this folder. */
export const lineText = ({ at, level, message }: FunctionLogLine, map: SourceMap | undefined): string => {
  const lines = message
    .split('\n')
    // The last frame may be followed by the bracket of the properties of the error.
    .map((line) => (OWN_FRAME.test(line) ? (line.endsWith(' {') ? ' {' : '') : `\n${line}`))
    .join('')
    .slice(1)
  const text = lines.replace(
    /\bindex\.js:(\d+):(\d+)/g,
    (found, line: string, column: string) => sourcePosition(map, Number(line), Number(column)) ?? found,
  )
  return `${at.slice(11, 19)} ${level.padEnd(5)} ${printableLines(text)}`
}
