import { existsSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { versionOf } from './source-version.js'

const ROOT = resolve(import.meta.dirname, '../..')
export const BUILDS = join(ROOT, 'node_modules/.cache')
/** Programs that run may still load parts of an older build. */
const BUILDS_MAX = 3

/** Returns a folder with what `build` writes from the sources as they are now; calls it if there is none. */
export async function cachedBuild(
  name: string,
  sources: readonly string[],
  build: (folder: string) => Promise<unknown>,
): Promise<string> {
  const builds = join(BUILDS, name)
  const version = versionOf(ROOT, sources)
  const folder = join(builds, version)
  if (existsSync(folder)) return folder
  const temporary = join(builds, `${version}.${process.pid}.tmp`)
  await rm(temporary, { recursive: true, force: true })
  await build(temporary)
  // Another process may have been faster: its files are the same.
  await rename(temporary, folder).catch(() => rm(temporary, { recursive: true, force: true }))
  await removeOld(builds)
  return folder
}

async function removeOld(folder: string) {
  // Others may be building at this moment.
  const names = (await readdir(folder)).filter((name) => !name.endsWith('.tmp'))
  const builds = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  ).catch(() => [])
  for (const { name } of builds.toSorted((a, b) => b.at - a.at).slice(BUILDS_MAX))
    await rm(join(folder, name), { recursive: true, force: true })
}
