// Plain JavaScript: the launcher runs it on old Nodes too.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { versionOf } from './source-version.js'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
/** What the build is made of. The docs are read where they are. */
export const SERVER_SOURCES = [
  'package-lock.json',
  'packages/contract/src',
  'packages/dashboard/build.ts',
  'packages/dashboard/src',
  'packages/docs/src',
  'packages/sdk/src',
  'packages/server/src',
  'scripts/build',
  'packages/sdk/build.ts',
  'scripts/build-sdk.ts',
  'scripts/declarations.ts',
  'scripts/sdk-types.ts',
]

/**
 * The main module of a build of the sources as they are now. Builds it first if a source has changed, which takes some seconds.
 *
 * @param {string} node the Node that builds
 * @returns {string}
 */
export function currentServer(node) {
  const folder = join(ROOT, 'node_modules/.cache/server', versionOf(ROOT, SERVER_SOURCES))
  const main = join(folder, 'dist/main.js')
  if (existsSync(main)) return main
  const build = join(ROOT, 'scripts/build/server-cache.ts')
  const options = ['--conditions=source', '--disable-warning=ExperimentalWarning']
  const { status } = spawnSync(node, [...options, build], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error('The service could not be built.')
  return main
}
