import { readFile } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { parseArgs } from 'node:util'

import { agentsTask } from './operator/agent-clients.ts'
import { moneyTask } from './operator/money-task.ts'
import { askRunningService } from './operator/socket.ts'
import { startBanner } from './operator/start-banner.ts'
import { type Output, runTask, type Task } from './operator/tasks.ts'
import { keyIdOf, parseSecretKeys } from './platform/security/vault.ts'
import type { ServiceOptions } from './service.ts'
import type { Settings } from './settings.ts'
import { VERSION } from './version.ts'

/** Lists every command. */
export const HELP = `svc-server ${VERSION}

  start             start the service (default)
  backup            <file>: write a backup and verify it; works while the service is running
                    --incomplete: although a file or a database of functions is missing or damaged
  backups           list the backups that the service created (SVC_BACKUP_HOURS)
  restore           <file, or a name from the list, or latest>: restore a backup to an empty data folder
                    --check: only report what is in it, and whether it can be restored
                    --at <time> [<folder of backups>]: the database of that time (SVC_BACKUP_WAL_SECONDS)
  copy              --to postgres://…: copy the SQLite database to an empty PostgreSQL database; the service is stopped.
                    Without --to, to DATABASE_URL. --undo: start on SQLite again
  upgrade           --check: apply the migrations of this version to a copy of the database, and time them
  audit verify      check every audit chain; exits with 1 if one is broken
  secret rotate     re-encrypt every secret with the first key in SVC_SECRET_KEY
  news send         --subject <text> --file <text file, blank lines between paragraphs> [--dry-run]
                    sends to all confirmed addresses, at most two emails a month each; run it again to resume
  developers setup  print a one-time link that creates the operator's account; valid for a minute
  developers list   list accounts and open invitations
  developers invite <email>: print a one-time link for a new account, and email it if SMTP is set up
  developers revoke <email>: revoke the invitation
  developers operator <email>: make this account an operator; --remove undoes it
  money verify      compare ledger, accounts, checkouts, charges and payments; exits with 1 if something differs
  money adjust      <email> <cents> --reason <text>: correct a balance by an entry in its ledger;
                    to take credit away: money adjust <email> --reason <text> -- -<cents>
  invites create    [--count <codes>] [--uses <per code>] [--days <number>] [--label <text>]: create invite codes,
                    each worth $5.00 of usage; they are printed only once
  invites list      list invite codes by the beginning of their hash
  invites revoke    <code, or id from the list>: revoke an invite code
  agents client     add <name> <redirect URI…>: let developers connect this MCP client, and print its client_id;
                    list; remove <client_id>. Clients with a document at an https URL need none
  hosting suspend   <slug>: stop serving the apps of this project
  hosting resume    <slug>: serve them again
  functions suspend <slug>: stop running the functions of this project
  functions resume  <slug>: run them again
  voice suspend     <slug>: end the voice calls of this project and refuse new ones
  voice resume      <slug>: allow them again
  help, --help      print this text
  --version         print the version

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
    return refuse(`Unknown option "${unknown.rawName}". Settings are environment variables.`)
  if (values.help) return console.log(HELP)
  if (values.version) return console.log(VERSION)

  const [subject, verb, slug] = positionals
  const email = positionals.length === 3 ? slug : undefined
  if (subject === 'developers' && email !== undefined) {
    if (verb === 'invite' || verb === 'revoke')
      return operate(settings, { name: `developers ${verb}`, email })
    if (verb === 'operator')
      return operate(settings, { name: 'developers operator', email, isOperator: values.remove !== true })
  }
  if (subject === 'money' || subject === 'invites') {
    const task = moneyTask(positionals, values)
    return typeof task === 'string' ? refuse(task) : operate(settings, task)
  }
  if (subject === 'agents') {
    const task = agentsTask(positionals)
    return typeof task === 'string' ? refuse(task) : operate(settings, task)
  }
  if (subject === 'hosting' && (verb === 'suspend' || verb === 'resume') && slug !== undefined)
    return operate(settings, { name: `hosting ${verb}`, slug })
  if (subject === 'functions' && (verb === 'suspend' || verb === 'resume') && slug !== undefined)
    return operate(settings, { name: `functions ${verb}`, slug })
  if (subject === 'voice' && (verb === 'suspend' || verb === 'resume') && slug !== undefined)
    return operate(settings, { name: `voice ${verb}`, slug })
  switch (positionals.join(' ')) {
    case '':
    case 'start':
      return serve(settings)
    case 'backups':
    case `backup ${positionals[1]}`:
    case 'restore':
    case `restore ${positionals[1]}`:
      if (subject === 'restore' && verb === undefined && values.at === undefined)
        return refuse('restore takes a backup, or --at <time>.')
      return archiveCommand(settings, positionals, values)
    case 'copy': {
      if (values.to === true) return refuse('--to needs an address: --to postgres://user@host/database')
      if (values.undo === true && values.to !== undefined)
        return refuse('copy takes --to or --undo, not both.')
      const { runCopy, runUndoCopy } = await import('./operator/copy-command.ts')
      return values.undo === true
        ? runUndoCopy(settings)
        : runCopy(settings, typeof values.to === 'string' ? values.to : undefined)
    }
    case 'upgrade': {
      if (values.check !== true)
        return refuse('upgrade takes --check. To upgrade, start the new version: it migrates the database.')
      const { runUpgradeCheck } = await import('./operator/upgrade-check.ts')
      return runUpgradeCheck(settings)
    }
    case 'developers list':
    case 'developers setup':
      return operate(settings, { name: verb === 'list' ? 'developers list' : 'developers setup' })
    case 'audit verify':
      return operate(settings, { name: 'audit verify' })
    case 'secret rotate':
      return operate(settings, { name: 'secret rotate', keyId: keyIdIn(settings) })
    case 'news send': {
      const task = await newsTask(values)
      return task ? operate(settings, task) : refuse('news send requires --subject and --file.')
    }
    case 'help':
      return console.log(HELP)
    default:
      return refuse(`Unknown command "${positionals.join(' ')}".`)
  }
}

/** Process managers often kill a program after this time. `SVC_STOP_DELAY_SECONDS` is added. */
const STOP_MAX_MS = 30_000
/**
 * Connections that wait while the process is busy; the system may allow fewer. With Node's 511, a client beyond them waits for seconds,
 * because the system ignores its packets until it sends them again.
 */
const BACKLOG = 4_096

function refuse(why: string) {
  console.error(`${why}\n\n${HELP}`)
  process.exitCode = 2
}

async function serve(settings: Settings) {
  const service = await openService(settings, { isEager: true })
  const { host, port } = settings.listen
  await service.http
    .listen({ host, port, backlog: BACKLOG })
    .catch(async (error: Error & { code?: string }) => {
      await service.close()
      if (error.code !== 'EADDRINUSE') throw error
      throw new Error(
        `Port ${port} is in use. Stop the other program, or use another port: PORT=${port + 1} npm start`,
      )
    })
  const readyMs = performance.now()
  const functionsLevel = service.functions.level()

  process.on('unhandledRejection', service.reportEscapedError)
  process.on('uncaughtException', service.reportEscapedError)
  let stopping = false
  const stop = (signal: string) => {
    // Ctrl-C may arrive twice: from the terminal, and forwarded by the launcher.
    if (stopping) return
    stopping = true
    service.log.info({ signal }, 'stopping')
    // A part that does not close is left: whatever it was doing is repeated or rolled back at the next start.
    const stopMaxMs = settings.stopDelayMs + STOP_MAX_MS
    setTimeout(() => {
      service.log.error(`not stopped within ${stopMaxMs / 1_000} s`)
      process.exit(1)
    }, stopMaxMs).unref()
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

  // A program that reads this line may send the next signal immediately.
  const setupLink = await service.signUp.newSetupLink()
  const lacksOperator = await service.signUp.lacksOperator()
  console.log(startBanner(settings, readyMs, await functionsLevel, { setupLink, lacksOperator }))
  flushCompileCache()
}

async function archiveCommand(
  settings: Settings,
  [subject, file]: readonly string[],
  { incomplete, check, at }: Record<string, unknown>,
) {
  const commands = await import('./operator/backup/command.ts')
  if (subject === 'restore' && at !== undefined) {
    const time = typeof at === 'string' ? at : ''
    process.exitCode = await commands.restoreAtCommand(settings, time, file, TERMINAL)
    return
  }
  process.exitCode =
    subject === 'backups'
      ? await commands.listCommand(settings, TERMINAL)
      : subject === 'backup'
        ? await commands.backUpCommand(settings, file ?? '', incomplete === true, TERMINAL)
        : check === true
          ? await commands.checkCommand(settings, file ?? '', TERMINAL)
          : await commands.restoreCommand(settings, file ?? '', TERMINAL)
}

const TERMINAL: Output = {
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
}

/** Executed by the running service if there is one on this data folder, otherwise by this process. */
async function operate(settings: Settings, task: Task) {
  const isEmbedded = settings.databaseUrl === undefined
  process.exitCode =
    (isEmbedded ? await askRunningService(settings.dataDir, task, TERMINAL) : undefined) ??
    (await operateAlone(settings, task))
}

async function operateAlone(settings: Settings, task: Task): Promise<number> {
  const service = await openService(settings, { isCommand: true })
  try {
    return await runTask(service, task, TERMINAL)
  } finally {
    await service.close()
  }
}

/** Loaded on demand: a command that the running service executes does not need it. */
async function openService(settings: Settings, options: ServiceOptions = {}) {
  const service = await import('./service.ts')
  return service.openService(settings, options)
}

/** The options of all commands. */
export const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  subject: { type: 'string' },
  file: { type: 'string' },
  'dry-run': { type: 'boolean' },
  remove: { type: 'boolean' },
  incomplete: { type: 'boolean' },
  at: { type: 'string' },
  to: { type: 'string' },
  undo: { type: 'boolean' },
  check: { type: 'boolean' },
  reason: { type: 'string' },
  count: { type: 'string' },
  uses: { type: 'string' },
  days: { type: 'string' },
  label: { type: 'string' },
} as const

async function newsTask({
  subject,
  file,
  'dry-run': dryRun,
}: Record<string, unknown>): Promise<Task | undefined> {
  if (typeof subject !== 'string' || typeof file !== 'string' || subject.trim() === '') return undefined
  const paragraphs = (await readFile(file, 'utf8'))
    .split(/\n\s*\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
  if (paragraphs.length === 0) throw new Error(`${file} contains no text.`)
  return { name: 'news send', subject: subject.trim(), paragraphs, dryRun: dryRun === true }
}

const keyIdIn = ({ secretKey }: Settings) => {
  const keys = secretKey === undefined ? undefined : parseSecretKeys(secretKey)
  return keys && keyIdOf(keys.current)
}
