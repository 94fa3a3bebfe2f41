import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cachedBuild } from './cached.ts'
import { buildCli } from './cli.ts'
import { GAME_PACKAGES_SOURCES } from './current-packages.js'
import { buildSdk } from './sdk.ts'
import { packForGames } from './tarballs.ts'

/** Started by the service of a checkout when somebody wants the packages of games and a source has changed. */
await cachedBuild('packages', GAME_PACKAGES_SOURCES, async (folder) => {
  const build = await mkdtemp(join(tmpdir(), 'svc-build-'))
  const homes = [join(build, 'cli'), join(build, 'sdk')] as const
  try {
    await buildCli(homes[0])
    await buildSdk(homes[1])
    await packForGames(homes, folder)
  } finally {
    await rm(build, { recursive: true, force: true })
  }
})
