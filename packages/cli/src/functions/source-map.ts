import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'

import { LIMITS } from '@svc/contract/common/limits'

import { Failure } from '../output/failure.ts'
import type { Problem } from '../project/config-file.ts'

const MAP_FILE = '.svc/functions.map.json'

/** Stores the source map in the folder of the functions, so that `svc functions logs` can name the lines of the source later. */
export function writeSourceMap(folder: string, mapText: string) {
  const path = join(folder, MAP_FILE)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, mapText)
}

/** The source map of the last deployment from this folder. */
export function readSourceMap(folder: string): SourceMap | undefined {
  const path = join(folder, MAP_FILE)
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined
}

/**
 * `src/index.ts:3:5` for a position in the bundle; undefined for code that has no source. Lines and columns begin at 1, as in stack
 * traces; those of `SourceMap` begin at 0.
 */
export function sourcePosition(map: SourceMap | undefined, line: number, column: number): string | undefined {
  const entry = map?.findEntry(line - 1, column - 1)
  return entry && 'originalSource' in entry
    ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    : undefined
}

/**
 * The field `sourceMap` of a deployment, with which the dashboard names the lines of the source. It contains positions, but not the
 * source itself. A map that is too large for the service is left out.
 */
export function sourceMapField(mapText: string): { sourceMap?: string } {
  const { sourcesContent: _, ...positions } = JSON.parse(mapText) as { sourcesContent?: unknown }
  const sourceMap = JSON.stringify(positions)
  return Buffer.byteLength(sourceMap) <= LIMITS.functionsSourceMapBytesMax ? { sourceMap } : {}
}

/** The service reports a problem in the code as `{ path: '$.modules[0]', message: 'line 12: …' }`: the first module is the bundle. */
const BUNDLE_PATH = '$.modules[0]'
const BUNDLE_LINE = /^line (\d+): /

/**
 * Replaces lines of the bundle by lines of the source in the problems of a rejected deployment, and the bundle as a whole by `main`, its main
 * file. Returns other errors unchanged.
 */
export function withSourceLines(error: unknown, mapText: string, main = BUNDLE_PATH): unknown {
  if (!(error instanceof Failure) || !Array.isArray(error.details?.['errors'])) return error
  const map = new SourceMap(JSON.parse(mapText))
  const errors = (error.details['errors'] as Problem[]).map((problem) => withSourceLine(problem, map, main))
  const { exit, message, code, fix } = error
  return new Failure(exit, message, { code, fix, details: { ...error.details, errors } })
}

function withSourceLine({ path, message }: Problem, map: SourceMap, main: string): Problem {
  if (path !== BUNDLE_PATH) return { path, message }
  const line = BUNDLE_LINE.exec(message)?.[1]
  if (line === undefined) return { path: main, message }
  const position = sourcePosition(map, Number(line), 1)
  return position === undefined
    ? { path, message }
    : { path: position, message: message.replace(BUNDLE_LINE, '') }
}
