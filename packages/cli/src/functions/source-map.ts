import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'

import { LIMITS } from '@svc/contract/common/limits'

import { Failure } from '../output/failure.ts'

const MAP_FILE = '.svc/functions.map.json'

/** Kept beside the code, so that `svc functions logs` can name the lines of the source later. */
export function writeSourceMap(folder: string, text: string) {
  mkdirSync(join(folder, '.svc'), { recursive: true })
  writeFileSync(join(folder, MAP_FILE), text)
}

/** The source map of the last deployment from this folder. */
export function readSourceMap(folder: string): SourceMap | undefined {
  const path = join(folder, MAP_FILE)
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined
}

/** `src/index.ts:3:5` for a position in the bundle; undefined for code that has no source. */
export function sourcePosition(map: SourceMap | undefined, line: number, column: number): string | undefined {
  const entry = map?.findEntry(line - 1, column - 1)
  return entry && 'originalSource' in entry
    ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    : undefined
}

/** For the service: where the code comes from, without the source itself. Left out if it is too large. */
export function uploadedSourceMap(text: string): { sourceMap?: string } {
  const { sourcesContent: _, ...positions } = JSON.parse(text) as { sourcesContent?: unknown }
  const sourceMap = JSON.stringify(positions)
  return Buffer.byteLength(sourceMap) <= LIMITS.functionsSourceMapBytesMax ? { sourceMap } : {}
}

type Problem = { path: string; message: string }
const IN_BUNDLE = /^line (\d+): /

/** The service names lines of the bundle, its first module; people know the lines of their source. */
export function withSourceLines(error: unknown, mapText: string): unknown {
  if (!(error instanceof Failure) || !Array.isArray(error.details?.['errors'])) return error
  const map = new SourceMap(JSON.parse(mapText))
  const errors = (error.details['errors'] as Problem[]).map(({ path, message }) => {
    const line = IN_BUNDLE.exec(message)?.[1]
    const position = path === '$.modules[0]' && line !== undefined && sourcePosition(map, Number(line), 1)
    return position ? { path: position, message: message.replace(IN_BUNDLE, '') } : { path, message }
  })
  const { exit, message, code, fix } = error
  return new Failure(exit, message, {
    code,
    ...(fix !== undefined && { fix }),
    details: { ...error.details, errors },
  })
}
