import { existsSync } from 'node:fs'

import { BUILDS, cachedBuild } from './cached.ts'
import { SERVER_SOURCES } from './current-server.js'
import { buildServer } from './server.ts'
import { startSteps } from './steps.ts'

/** Started by the launcher of a checkout when a source has changed. */
const why = existsSync(`${BUILDS}/server`)
  ? 'Building svc again, because its sources have changed'
  : 'Building svc from its sources before the first start'
await cachedBuild('server', SERVER_SOURCES, async (folder) => {
  const steps = startSteps(why)
  await buildServer(folder, { isForPackage: false, step: steps.step })
  steps.done()
})
