import { readFile } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { parseArgs } from 'node:util'

import { backUp, restore } from './backup.ts'
import { openService } from './service.ts'
import type { Settings } from './settings.ts'
import { startBanner } from './start-banner.ts'
import { VERSION } from './version.ts'

const HELP = `svc-server ${VERSION}

  start             serve (this is also what happens without a command)
  backup            <file>: the data folder as one tar file, also while the service runs
  restore           <file>: a data folder from such a file; never over one that is there
  audit verify      walk every audit chain; exits 1 when one is broken
  secret rotate     seal every secret anew with the first key of SVC_SECRET_KEY
  news send         --subject <text> --file <text file, blank lines between paragraphs> [--dry-run]
                    to everybody who confirmed, at most two a month; run again, it goes on where it ended
  hosting suspend   <slug>: the apps of this project are no longer served
  hosting resume    <slug>: they are again
  help, --help      this text
  --version         which one this is

Settings are environment variables: docs/settings.md`

export async function runCommand(args: string[], settings: Settings): Promise<void> {
  const { positionals, values, tokens } = parseArgs({
    args,
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const unknown = tokens.find((token) => token.kind === 'option' && !Object.hasOwn(OPTIONS, token.name))
  if (unknown?.kind === 'option')
    return refuse(`There is no option "${unknown.rawName}": settings are environment variables.`)
  if (values.help) return console.log(HELP)
  if (values.version) return console.log(VERSION)

  const [subject, verb, slug] = positionals
  if (subject === 'hosting' && (verb === 'suspend' || verb === 'resume') && slug !== undefined)
    return suspendHosting(settings, slug, verb === 'suspend')
  switch (positionals.join(' ')) {
    case '':
    case 'start':
      return serve(settings)
    case `backup ${positionals[1]}`:
      return makeBackup(settings, String(positionals[1]))
    case `restore ${positionals[1]}`:
      await restore(settings, String(positionals[1]))
      return console.log(`${settings.dataDir} is as it was; start the service`)
    case 'audit verify':
      return verifyAudit(settings)
    case 'secret rotate':
      return rotateSecrets(settings)
    case 'news send':
      return sendNews(settings, values)
    case 'help':
      return console.log(HELP)
    default:
      return refuse(`There is no command "${positionals.join(' ')}".`)
  }
}

function refuse(why: string) {
  console.error(`${why}\n\n${HELP}`)
  process.exitCode = 2
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
  const readyMs = performance.now()

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

  // Whoever reads this may send the next signal at once.
  console.log(startBanner(settings, readyMs))
  flushCompileCache()
}

async function makeBackup(settings: Settings, file: string) {
  const notInIt = await backUp(settings, file)
  console.log(`${file} is written; it holds secrets, so keep it where nobody else reads it`)
  for (const missing of notInIt) console.log(`Keep apart: ${missing}`)
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
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  subject: { type: 'string' },
  file: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

async function sendNews(settings: Settings, { subject, file, 'dry-run': dryRun }: Record<string, unknown>) {
  if (typeof subject !== 'string' || typeof file !== 'string' || subject.trim() === '')
    return refuse('News needs a --subject and a --file.')
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

async function suspendHosting(settings: Settings, slug: string, isSuspended: boolean) {
  const service = await openService(settings)
  const isKnown = await service.hosting.suspend(slug, isSuspended)
  await service.close()
  if (isKnown) return console.log(isSuspended ? `${slug} is no longer served` : `${slug} is served again`)
  console.error(`There is no project with the slug "${slug}".`)
  process.exitCode = 1
}

async function rotateSecrets(settings: Settings) {
  const service = await openService(settings)
  const { resealed, alreadyCurrent, unreadable } = await service.secrets.rotate()
  await service.close()
  console.log(`${resealed} sealed anew, ${alreadyCurrent} already were, ${unreadable} cannot be read`)
  if (unreadable > 0) process.exitCode = 1
}
