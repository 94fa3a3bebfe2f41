import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { buildForPackage } from './build.ts'

/** Before and after `npm pack`: a `built` folder that stays would hide later changes of the sources. */
if (process.argv.includes('--remove'))
  await rm(join(import.meta.dirname, 'built'), { recursive: true, force: true })
else console.log(`initial script: ${(await buildForPackage()).initialScript} bytes, gzipped`)
