import { globSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { sdkFiles } from '../../scripts/build-sdk.ts'
import { cachedBuild } from '../../scripts/build/cached.ts'
import { sdkTypes } from '../../scripts/sdk-types.ts'

const SOURCES = [
  'package-lock.json',
  'packages/contract/src',
  'packages/sdk/build.ts',
  'packages/sdk/src',
  'scripts/build-sdk.ts',
  'scripts/declarations.ts',
  'scripts/sdk-types.ts',
]

/** Returns a folder with the SDK and its types as packages and pages get them, from the sources as they are now. */
export const upToDateFolder = (): Promise<string> =>
  cachedBuild('sdk', SOURCES, async (folder) => {
    await mkdir(folder, { recursive: true })
    for (const [path, text] of [...sdkFiles(), ...sdkTypes()])
      await writeFile(join(folder, basename(path)), text)
  })

/** The types in that folder, as `sdkTypes` returns them: the compiler needs ten seconds of CPU time for them. */
export async function upToDateTypes(): Promise<Map<string, string>> {
  const folder = await upToDateFolder()
  const names = globSync('*.d.ts', { cwd: folder })
  return new Map(names.map((name) => [`packages/sdk/dist/${name}`, readFileSync(join(folder, name), 'utf8')]))
}
