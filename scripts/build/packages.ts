import { join, resolve } from 'node:path'

import { buildCli } from './cli.ts'
import { buildSdk } from './sdk.ts'
import { buildServer } from './server.ts'

/**
 * npm run build
 *
 * Writes the packages `server`, `cli` and `sdk` into `build/`, each ready for `npm pack`.
 */
export async function buildPackages(folder: string) {
  await buildSdk(join(folder, 'sdk'))
  await buildCli(join(folder, 'cli'))
  await buildServer(join(folder, 'server'), { isForPackage: true })
}

if (import.meta.main) await buildPackages(resolve(import.meta.dirname, '../../build'))
