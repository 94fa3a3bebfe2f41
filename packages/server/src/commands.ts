import { flushCompileCache } from 'node:module'
import { parseArgs } from 'node:util'

import { VERSION } from './app.ts'
import { openService } from './service.ts'
import type { Settings } from './settings.ts'
import { startBanner } from './start-banner.ts'

const HELP = `svc-server ${VERSION}

  start             serve (this is also what happens without a command)
  audit verify      walk every audit chain; exits 1 when one is broken
  secret rotate     seal every secret anew with the first key of SVC_SECRET_KEY
  help              this text

Settings are environment variables: docs/settings.md`

export async function runCommand(args: string[], settings: Settings): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true, strict: false })
  switch (positionals.join(' ')) {
    case '':
    case 'start':
      return serve(settings)
    case 'audit verify':
      return verifyAudit(settings)
    case 'secret rotate':
      return rotateSecrets(settings)
    case 'help':
      return console.log(HELP)
    default:
      console.error(`There is no command "${positionals.join(' ')}".\n\n${HELP}`)
      process.exitCode = 2
  }
}

async function serve(settings: Settings) {
  const service = await openService(settings)
  const { host, port } = settings.listen
  await service.http.listen({ host, port }).catch(async (error: Error & { code?: string }) => {
    await service.close()
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${port} is taken. Stop what uses it, or start with another: PORT=${port + 1} npm start`,
    )
  })
  console.log(startBanner(settings, performance.now()))
  flushCompileCache()

  process.on('unhandledRejection', (error) => service.log.error({ err: error }, 'unhandled rejection'))
  let stopping = false
  const stop = (signal: string) => {
    // Ctrl-C may arrive twice: from the terminal, and forwarded by the launcher.
    if (stopping) return
    stopping = true
    service.log.info({ signal }, 'stopping')
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        service.log.error({ err: error }, 'stopped with an error')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

async function verifyAudit(settings: Settings) {
  const service = await openService(settings)
  const { projects, entries, broken } = await service.audit.verify()
  await service.close()
  for (const line of broken) console.error(`broken  ${line}`)
  console.log(`${entries} entries of ${projects} projects, ${broken.length} chains broken`)
  if (broken.length > 0) process.exitCode = 1
}

async function rotateSecrets(settings: Settings) {
  const service = await openService(settings)
  const { resealed, alreadyCurrent, unreadable } = await service.secrets.rotate()
  await service.close()
  console.log(`${resealed} sealed anew, ${alreadyCurrent} already were, ${unreadable} cannot be read`)
  if (unreadable > 0) process.exitCode = 1
}
