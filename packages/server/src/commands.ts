import { readFile } from 'node:fs/promises'
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
  news send         --subject <text> --file <text file, blank lines between paragraphs> [--dry-run]
                    to everybody who confirmed, at most two a month; run again, it goes on where it ended
  help              this text

Settings are environment variables: docs/settings.md`

export async function runCommand(args: string[], settings: Settings): Promise<void> {
  const { positionals, values } = parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: false })
  switch (positionals.join(' ')) {
    case '':
    case 'start':
      return serve(settings)
    case 'audit verify':
      return verifyAudit(settings)
    case 'secret rotate':
      return rotateSecrets(settings)
    case 'news send':
      return sendNews(settings, values)
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

const OPTIONS = {
  subject: { type: 'string' },
  file: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

async function sendNews(settings: Settings, { subject, file, 'dry-run': dryRun }: Record<string, unknown>) {
  if (typeof subject !== 'string' || typeof file !== 'string' || subject.trim() === '') {
    console.error(`News needs a --subject and a --file.\n\n${HELP}`)
    process.exitCode = 2
    return
  }
  const paragraphs = (await readFile(file, 'utf8')).split(/\n\s*\n/).map((text) => text.trim())
  const news = { subject: subject.trim(), paragraphs: paragraphs.filter((text) => text !== '') }
  if (news.paragraphs.length === 0) throw new Error(`${file} holds no text.`)

  const service = await openService(settings)
  const verb = dryRun === true ? 'would be written' : 'written'
  try {
    const { sent, had, full, notAllowed } = await service.newsSender.sendNews(news, {
      dryRun: dryRun === true,
      onProgress: (progress) => console.log(`${progress.sent} mails ${verb} so far`),
    })
    console.log(
      `${sent} mails ${verb}; ${had} addresses had it before, ${full} have had two this month, ${notAllowed} may get none`,
    )
  } finally {
    await service.close()
  }
}

async function rotateSecrets(settings: Settings) {
  const service = await openService(settings)
  const { resealed, alreadyCurrent, unreadable } = await service.secrets.rotate()
  await service.close()
  console.log(`${resealed} sealed anew, ${alreadyCurrent} already were, ${unreadable} cannot be read`)
  if (unreadable > 0) process.exitCode = 1
}
