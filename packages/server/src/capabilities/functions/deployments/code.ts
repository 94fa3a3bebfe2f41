import { buffer, text } from 'node:stream/consumers'

import type { FunctionCode } from '../../../platform/ports/functions-engine.ts'
import type { Blobs } from '../ports.ts'
import { storedAssets } from './assets.ts'
import type { Manifest } from './manifest.ts'

/** The code of a version is one blob: its modules, one after the other, as long as the manifest says, then its static files, then the source map. */
export const blobKeyOf = (environmentId: string, versionId: string) =>
  `functions/${environmentId}/${versionId}`

export async function loadCode(blobs: Pick<Blobs, 'open' | 'missing'>, blobKey: string): Promise<Buffer> {
  const found = await blobs.open(blobKey)
  if (!found) throw blobs.missing('the code of this version')
  return buffer(found.stream)
}

/** Undefined if the version has none. */
export async function loadSourceMap(
  blobs: Pick<Blobs, 'open'>,
  { blobKey, bytes }: { blobKey: string; bytes: number },
  { sourceMapBytes }: Manifest,
): Promise<string | undefined> {
  if (sourceMapBytes === undefined) return undefined
  const found = await blobs.open(blobKey, { start: bytes - sourceMapBytes, end: bytes - 1 })
  return found && text(found.stream)
}

export function codeOf(manifest: Manifest, bytes: Buffer): FunctionCode {
  const { mainModule, bindings, vars, compatibilityDate } = manifest
  let start = 0
  const modules = manifest.modules.map(({ name, type, size }) => ({
    name,
    type,
    content: bytes.subarray(start, (start += size)),
  }))
  const assets = manifest.assets ? storedAssets(manifest.assets, bytes.subarray(start)) : null
  return { mainModule, modules, bindings, vars, assets, compatibilityDate }
}
