import { cachedBuild } from './cached.ts'
import { SERVER_SOURCES } from './current-server.js'
import { buildServer } from './server.ts'

/** Started by the launcher of a checkout when a source has changed. */
console.error('svc is being built from its sources. This happens when one of them has changed.')
await cachedBuild('server', SERVER_SOURCES, (folder) => buildServer(folder, { isForPackage: false }))
