// Plain JavaScript: a built service imports it too.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { versionOf } from './source-version.js'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const BUILD_MS_MAX = 10 * 60_000
/** What the packages of games are made of. */
export const GAME_PACKAGES_SOURCES = [
  'LICENSE',
  'examples',
  'package-lock.json',
  'packages/cli/README.md',
  'packages/cli/bin',
  'packages/cli/package.json',
  'packages/cli/src',
  'packages/cli/svc.config.schema.json',
  'packages/contract/src',
  'packages/sdk/README.md',
  'packages/sdk/build.ts',
  'packages/sdk/package.json',
  'packages/sdk/src',
  'scripts/build',
  'scripts/build-sdk.ts',
  'scripts/declarations.ts',
  'scripts/sdk-types.ts',
]

/**
 * The folder with the tarballs of the CLI and the SDK from the sources as they are now, and their list. Another process packs them first
 * if a source has changed, so that the service goes on answering.
 *
 * @returns {Promise<string>}
 */
export async function currentPackages() {
  const folder = join(ROOT, 'node_modules/.cache/packages', versionOf(ROOT, GAME_PACKAGES_SOURCES))
  if (existsSync(folder)) return folder
  const build = join(ROOT, 'scripts/build/packages-cache.ts')
  const options = ['--conditions=source', '--disable-warning=ExperimentalWarning']
  await promisify(execFile)(process.execPath, [...options, build], { timeout: BUILD_MS_MAX })
  return folder
}
