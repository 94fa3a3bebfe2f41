import { buffer } from 'node:stream/consumers'

import type { FunctionCode } from '../../platform/functions-engine.ts'
import type { Manifest } from './manifest.ts'
import type { Blobs } from './ports.ts'

/** The code of a version is one blob: the contents of its modules, one after the other, as long as the manifest says. */
export const blobKeyOf = (environmentId: string, versionId: string) =>
  `functions/${environmentId}/${versionId}`

export async function loadContents(
  blobs: Pick<Blobs, 'open'>,
  blobKey: string,
  { modules }: Manifest,
): Promise<Buffer[]> {
  const found = await blobs.open(blobKey)
  if (!found) throw new Error(`the code ${blobKey} is not in the blob store`)
  const bytes = await buffer(found.stream)
  let start = 0
  return modules.map(({ size }) => bytes.subarray(start, (start += size)))
}

export const codeOf = (manifest: Manifest, contents: readonly Buffer[]): FunctionCode => ({
  mainModule: manifest.mainModule,
  modules: manifest.modules.map(({ name, type }, index) => ({
    name,
    type,
    content: contents[index] ?? Buffer.alloc(0),
  })),
  bindings: manifest.bindings,
  vars: manifest.vars,
  compatibilityDate: manifest.compatibilityDate,
})
