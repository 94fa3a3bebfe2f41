import type { SourceMap } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'

import type { FunctionLogLine } from '@svc/contract/functions'

import type { Context } from '../context.ts'
import { isFailure } from '../failure.ts'
import { readSourceMap, sourcePlace } from '../functions-source-map.ts'
import { shownLines } from '../output.ts'
import { DEFAULT_FOLDER, folderOf } from './functions.ts'

export const POLL_MS = 1_000
/** Frames of the service around the code. */
const OWN_FRAME = /^\s+at .*\bsvc-(?:wrap|main)\.js\b/

type LogOptions = { follow?: boolean; level?: FunctionLogLine['level']; limit?: number }

/** With `follow` until the command is ended; the service may restart meanwhile. */
export async function showLogs(
  context: Context,
  { follow, level, limit }: LogOptions,
  directory = DEFAULT_FOLDER,
) {
  const { calls, out } = context
  const map = readSourceMap(folderOf(context, directory)) ?? readSourceMap(folderOf(context))
  const query = { ...(level && { level }), ...(limit !== undefined && { limit }) }
  const read = await calls.admin('readFunctionLogs', { query })
  if (!follow) {
    for (const line of read.lines) out.text(lineText(line, map))
    if (read.lines.length === 0) out.info('no lines yet')
    return read
  }
  printLines(context, read.lines, map)
  for (let after = read.next; ;) {
    await pause(POLL_MS)
    after = await printNewLines(context, { after, map, ...(level && { level }) })
  }
}

type Following = { after: string | null; map: SourceMap | undefined; level?: FunctionLogLine['level'] }

/** Returns the id to continue after. */
export async function printNewLines(context: Context, { after, map, level }: Following) {
  const query = { ...(after !== null && { after }), ...(level && { level }) }
  try {
    const { lines, next } = await context.calls.admin('readFunctionLogs', { query })
    printLines(context, lines, map)
    return next
  } catch (error) {
    if (isFailure(error, 'unreachable', 'service_unavailable')) return after
    throw error
  }
}

function printLines({ out }: Context, lines: readonly FunctionLogLine[], map: SourceMap | undefined) {
  for (const line of lines) {
    out.text(lineText(line, map))
    out.resultLine(line)
  }
}

/** Stacks name the lines of the source, as long as the version was deployed from this folder. */
export const lineText = ({ at, level, message }: FunctionLogLine, map: SourceMap | undefined): string => {
  const lines = message
    .split('\n')
    .filter((line) => !OWN_FRAME.test(line))
    .join('\n')
  const text = lines.replace(
    /\bindex\.js:(\d+):(\d+)/g,
    (found, line: string, column: string) => sourcePlace(map, Number(line), Number(column)) ?? found,
  )
  return `${at.slice(11, 19)} ${level.padEnd(5)} ${shownLines(text)}`
}
