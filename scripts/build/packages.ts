import { join, resolve } from 'node:path'

import { buildCli } from './cli.ts'
import { buildSdk } from './sdk.ts'
import { buildServer } from './server.ts'
import { packForGames } from './tarballs.ts'

/**
 * npm run build
 *
 * Writes the packages `server`, `cli` and `sdk` into `build/`, each ready for `npm pack`.
 */
export async function buildPackages(folder: string) {
  const [sdk, cli, server] = ['sdk', 'cli', 'server'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await buildSdk(sdk)
  await buildCli(cli)
  await buildServer(server, { isForPackage: true })
  // The service offers them to games.
  await packForGames([cli, sdk], join(server, 'dist/packages'))
}

if (import.meta.main) await buildPackages(resolve(import.meta.dirname, '../../build'))
