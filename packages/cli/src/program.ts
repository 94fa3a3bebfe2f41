import { Argument, Command, InvalidArgumentError, Option } from 'commander'

import { logIn, logOut, whoAmI } from './commands/account.ts'
import { resolveOneAppeal, showAppeals } from './commands/appeals.ts'
import { diffConfig, pullConfig, pushConfigFile, validateConfig } from './commands/config.ts'
import { deleteAccount } from './commands/delete-account.ts'
import { deploy } from './commands/deploy.ts'
import { rollBack, showDeploys } from './commands/deploys.ts'
import { runDoctor } from './commands/doctor.ts'
import { disableFeatures, enableFeatures } from './commands/features.ts'
import { watchFunctions } from './commands/functions-dev.ts'
import { showLogs } from './commands/functions-logs.ts'
import {
  deleteSecret,
  deployFunctions,
  initFunctions,
  migrateDatabase,
  queryDatabase,
  rollBackFunctions,
  setSecret,
  showFunctions,
  showSecrets,
  STARTER_NAMES,
} from './commands/functions.ts'
import { initFolder } from './commands/init.ts'
import { revokeProjectKey, createProjectKey, showKeys } from './commands/keys.ts'
import {
  exportLeaderboard,
  hideEntry,
  listLeaderboards,
  listPeriods,
  removeEntry,
  resetLeaderboard,
  showEntry,
  showLeaderboard,
} from './commands/leaderboards.ts'
import { linkFolder } from './commands/link.ts'
import { showMail } from './commands/mail.ts'
import { showBalance, showLedger, showUsage, topUp } from './commands/money.ts'
import { newProject, TEMPLATE_NAMES } from './commands/new.ts'
import { ban, exportData, findPlayers, showPlayer, unban } from './commands/players.ts'
import { showProjects } from './commands/projects.ts'
import { promote } from './commands/promote.ts'
import { removeProvider, setProvider, showProviders, useTestProvider } from './commands/providers.ts'
import { watchRooms } from './commands/rooms.ts'
import { backUp, restore, startServer } from './commands/server.ts'
import { createLink, showLinks, showShareStats } from './commands/share.ts'
import type { Context } from './context.ts'
import { showHelp } from './usage.ts'

/** A command. Its options and arguments are those of its definition below; commander has validated them. */
export type Handler = (context: Context, options: never, ...args: never[]) => Promise<unknown>
export type Run = (handler: Handler) => (...given: unknown[]) => Promise<void>

const yes = ['-y, --yes', 'do not ask'] as const
const projectName = ['--name <text>', 'project name (default: derived from the folder name)'] as const
const noInstall = ['--no-install', 'do not run npm install'] as const
const limit = new Option('--limit <number>', 'maximum number of results').argParser(wholeNumber)
const period = new Option('--period <period>', 'default: the first of the config').choices([
  'allTime',
  'daily',
  'weekly',
  'monthly',
])
const at = ['--at <label>', 'a period that is over, like 2026-11-15, 2026-W46 or 2026-11'] as const
const from = ['--from <date>', 'first day, like 2026-11-01 (default: 30 days up to --to)'] as const
const to = ['--to <date>', 'last day (default: today)'] as const
const cursor = ['--cursor <text>', 'continue after the previous page'] as const

/** Defines all commands. `docs/cli.md` is generated from it. */
export function buildProgram(version: string, run: Run): Command {
  const program = new Command('svc')
    .description('Projects, config, deploys and players of svc, for developers and CI.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .option(
      '--url <address>',
      'URL of the service (default: SVC_URL, then the project file, then http://localhost:8787)',
    )
    .option('--project <id>', 'project id or slug (default: SVC_PROJECT, then the project file)')
    .option('--env <name>', 'development (dev) or production (prod); development by default')
    .option('--token <token>', 'developer token (kds_…) for this command, for CI; better in SVC_TOKEN')
    .option('--json', 'print the result as one JSON document')

  const group = (name: string, description: string) =>
    program.command(name).description(description).helpCommand(false)

  program
    .command('new <folder>')
    .description('create a project and a folder with a working game')
    .addOption(
      new Option('-t, --template <name>', 'template to start from').choices(TEMPLATE_NAMES).default('duel'),
    )
    .option(...projectName)
    .option(...noInstall)
    .action(run(newProject))
  program
    .command('init')
    .description('add svc to the existing folder of an app (Vite, Next.js or plain HTML)')
    .option(...projectName)
    .option('-y, --yes', 'create a project without asking')
    .option(...noInstall)
    .action(run(initFolder))
  program
    .command('link')
    .description(
      'link this folder to its project, after a clone or with a new data folder, and create missing keys',
    )
    .option('--name <text>', 'name of a project that is created (default: derived from the slug)')
    .option('-y, --yes', 'create the project again if the service does not have it')
    .action(run(linkFolder))
  program.command('projects').description('list your projects').action(run(showProjects))

  program
    .command('deploy [folder]')
    .description(
      'push the config, upload a folder (by default the one that was deployed last, or public) and make it live',
    )
    .option('-m, --message <text>', 'description of this version, shown in the history')
    .option('--no-config', 'do not push the config')
    .option('--no-activate', 'upload only, do not activate')
    .option('-y, --yes', 'do not ask before a feature is turned off or the live index.html is removed')
    .action(run(deploy))
  program.command('deploys').description('list deployed versions').addOption(limit).action(run(showDeploys))
  program
    .command('rollback [version]')
    .description('activate an older version: the given one, or the one that was live before')
    .action(run(rollBack))
  program
    .command('promote')
    .description('copy the live version and its config from one environment to the other')
    .option('--from <env>', 'environment to copy from', 'development')
    .option('--to <env>', 'environment to copy to', 'production')
    .option('--functions', 'also make the live version of the functions live there')
    .option(...yes)
    .action(run(promote))

  const config = group('config', 'the config document (svc.config.json) of an environment')
  config
    .command('push [file]')
    .description('replace the config with the contents of the file; asks before it turns a feature off')
    .option(...yes)
    .action(run(pushConfigFile))
  config
    .command('pull [file]')
    .description('write the config to the file')
    .option(...yes)
    .action(run(pullConfig))
  config.command('diff [file]').description('show what a push would change').action(run(diffConfig))
  config
    .command('validate [file]')
    .description('validate the file locally, without contacting the service')
    .action(run(validateConfig))

  program
    .command('enable <feature...>')
    .description(
      'turn features on in svc.config.json and push it, such as saves, stats, google or share.links',
    )
    .option('-y, --yes', 'do not ask if the file turns other features off')
    .action(run(enableFeatures))
  program
    .command('disable <feature...>')
    .description('turn features off in svc.config.json and push it')
    .option('-y, --yes', 'do not ask if the file turns other features off')
    .action(run(disableFeatures))

  const functions = group('functions', 'server functions: your code and its databases on the service')
  functions
    .command('status', { isDefault: true })
    .description('show version, URL, limits, crons, resources and names of secrets')
    .action(run(showFunctions))
  functions
    .command('init [folder]')
    .description('create a folder (functions by default) with a function')
    .addOption(new Option('--starter <name>', 'what it begins with').choices(STARTER_NAMES).default('bare'))
    .action(run(initFunctions))
  functions
    .command('dev [folder-or-file]')
    .description('run the code in development: bundle and deploy it when a file changes, and show the log')
    .action(run(watchFunctions))
  functions
    .command('deploy [folder-or-file]')
    .description(
      'bundle the code of the folder (wrangler.jsonc or wrangler.toml), or the file, and make it live with its static files',
    )
    .option('-m, --message <text>', 'description of this version, shown in the history')
    .action(run(deployFunctions))
  functions
    .command('rollback [version]')
    .description('make an older version live: the given one, or the one before')
    .action(run(rollBackFunctions))
  functions
    .command('logs [folder]')
    .description('show the log; stacks name the lines of the source in the folder (functions by default)')
    .option('-f, --follow', 'wait for new lines')
    .addOption(
      new Option('--level <level>', 'this level and above').choices([
        'debug',
        'info',
        'log',
        'warn',
        'error',
      ]),
    )
    .addOption(limit)
    .action(run(showLogs))
  const secrets = functions.command('secrets').description('secrets of the code').helpCommand(false)
  secrets.command('list', { isDefault: true }).description('list their names').action(run(showSecrets))
  secrets
    .command('set <name>')
    .description('set a secret; the command asks for the value or reads it from a file')
    .option('--file <path>', 'file with the value; - reads standard input')
    .action(run(setSecret))
  secrets.command('delete <name>').description('delete a secret').action(run(deleteSecret))
  const databases = functions.command('db').description('databases of the code').helpCommand(false)
  databases.command('query <binding> <sql>').description('run SQL').action(run(queryDatabase))
  databases
    .command('migrate <binding> [folder]')
    .description(
      'apply the .sql files that are not applied yet: of the folder, or of migrations_dir in the wrangler file (migrations by default)',
    )
    .action(run(migrateDatabase))

  const keys = group('keys', 'keys of an environment')
  keys.command('list', { isDefault: true }).description('list active keys').action(run(showKeys))
  keys
    .command('create')
    .description('create a key; it is shown only once')
    .addOption(
      new Option('--type <type>', 'key type (secret for servers, publishable for pages)')
        .choices(['secret', 'publishable'])
        .default('secret'),
    )
    .option('--label <text>', 'label shown in the key list')
    .action(run(createProjectKey))
  keys
    .command('revoke <id>')
    .description('revoke a key immediately')
    .option(...yes)
    .action(run(revokeProjectKey))

  const providers = group('providers', 'credentials for player sign-in with Google, Discord, Apple and X')
  providers
    .command('list', { isDefault: true })
    .description('list providers and their credentials')
    .action(run(showProviders))
  providers
    .command('test <provider>')
    .description('use the built-in test provider instead (development only)')
    .action(run(useTestProvider))
  providers
    .command('set <provider>')
    .description('store credentials; the command asks for the secret or reads it from a file')
    .option('--client-id <id>', 'google, discord, x')
    .option('--client-secret-file <path>', 'google, discord, x')
    .option('--services-id <id>', 'apple')
    .option('--team-id <id>', 'apple')
    .option('--key-id <id>', 'apple')
    .option('--private-key-file <path>', 'apple: the .p8 file')
    .option('--bundle-id <id>', 'apple: bundle ID of the iOS app')
    .option('--shared', 'x: use the shared app of this service')
    .action(run(setProvider))
  providers
    .command('remove <provider>')
    .description('remove the provider’s credentials')
    .option(...yes)
    .action(run(removeProvider))

  const players = group('players', 'players of an environment')
  players
    .command('find [text]')
    .description('search players by id, email or start of name, newest first')
    .addOption(limit)
    .option(...cursor)
    .action(run(findPlayers))
  players.command('show <id>').description('show one player').action(run(showPlayer))
  players
    .command('ban <id>')
    .description('ban a player immediately: end sessions, close connections, reject sign-ins')
    .option('--reason <text>', 'shown to the player')
    .addOption(
      new Option(
        '--hours <number>',
        'length of the ban in hours (default: until unbanned); requires a secret key',
      ).argParser(number),
    )
    .action(run(ban))
  players.command('unban <id>').description('lift the ban').action(run(unban))
  players
    .command('export <id>')
    .description('export all data stored about a player, as JSON')
    .option('-o, --output <file>', 'write to this file; it must not exist')
    .action(run(exportData))

  const appeals = group('appeals', 'appeals by banned players')
  appeals
    .command('list', { isDefault: true })
    .description('list appeals, newest first')
    .addOption(
      new Option('--status <status>', 'appeal status to list')
        .choices(['open', 'accepted', 'rejected', 'all'])
        .default('open'),
    )
    .addOption(limit)
    .option(...cursor)
    .action(run(showAppeals))
  appeals
    .command('resolve <id>')
    .description('accept an appeal, which lifts the ban, or reject it')
    .option('--accept', 'lift the ban')
    .option('--reject', 'keep the ban')
    .option('--response <text>', 'shown to the player')
    .action(run(resolveOneAppeal))

  group('rooms', 'live rooms and channels')
    .command('watch', { isDefault: true })
    .description('show connections, rooms, queues and channels; refresh until Ctrl-C')
    .option('--once', 'print once and exit')
    .addOption(new Option('--interval <seconds>', 'refresh interval').argParser(number).default(1))
    .action(run(watchRooms))

  const leaderboards = group('leaderboards', 'leaderboards of stats, and who is on them')
  leaderboards
    .command('list', { isDefault: true })
    .description('list the leaderboards of the config')
    .action(run(listLeaderboards))
  leaderboards
    .command('show <key>')
    .description('show the entries, and players who are not shown')
    .addOption(period)
    .option(...at)
    .addOption(limit)
    .option(...cursor)
    .action(run(showLeaderboard))
  leaderboards
    .command('periods <key>')
    .description('list days, weeks and months that are over')
    .action(run(listPeriods))
  leaderboards
    .command('export <key>')
    .description('export all entries as CSV')
    .addOption(period)
    .option(...at)
    .option('-o, --output <file>', 'write to this file; it must not exist')
    .action(run(exportLeaderboard))
  leaderboards
    .command('hide <key> <player-id>')
    .description('hide a player until `unhide`')
    .action(run(hideEntry))
  leaderboards
    .command('unhide <key> <player-id>')
    .description('show a hidden player again, with the next report')
    .action(run(showEntry))
  leaderboards
    .command('remove <key> <player-id>')
    .description('delete the values of a player, also from periods that are over')
    .option(...yes)
    .action(run(removeEntry))
  leaderboards
    .command('reset <key>')
    .description('empty a leaderboard and delete the values of all players')
    .option(...yes)
    .action(run(resetLeaderboard))

  const share = group('share', 'share links and who came through them')
  const links = share.command('links').description('share links of an environment').helpCommand(false)
  links
    .command('list', { isDefault: true })
    .description('list share links, most visited first')
    .option(...from)
    .option(...to)
    .addOption(limit)
    .action(run(showLinks))
  links
    .command('create <label>')
    .description('create a link for one post or page, to count its visits')
    .action(run(createLink))
  share
    .command('stats')
    .description('visits, new players and plays per day, in UTC')
    .option(...from)
    .option(...to)
    .option('--link <id>', 'of one share link')
    .action(run(showShareStats))

  program
    .command('mail')
    .description('list emails of the development environment')
    .addArgument(new Argument('[id]', 'email id, or `latest`: print the whole email'))
    .addOption(limit)
    .action(run(showMail))

  const money = group('money', 'prepaid balance and usage of your account')
  money.command('balance', { isDefault: true }).description('show the balance').action(run(showBalance))
  money
    .command('usage')
    .description('show the usage of a month and its cost')
    .option('--period <month>', 'month in UTC, YYYY-MM (default: the current one)')
    .option('--refresh', 'charge what is due first')
    .action(run(showUsage))
  money
    .command('ledger')
    .description('list the changes of the balance, newest first')
    .addOption(limit)
    .option(...cursor)
    .action(run(showLedger))
  money
    .command('top-up <dollars>')
    .description('open a payment page; in a terminal, wait for the payment')
    .option('--no-wait', 'do not wait for the payment')
    .action(run(topUp))

  program
    .command('login')
    .description('sign in as a developer')
    .option('--email <address>', 'email of the account')
    .option('--password-stdin', 'read the password from the input')
    .option('--sign-up', 'create the account')
    .option('--invitation <token>', 'create the account with the token or link of an invitation')
    .option('--token-stdin', 'read a developer token (kds_…) from the input')
    .option('--web', 'sign in with a code that you confirm in the dashboard, also without a terminal')
    .option('--local', 'use the local account of the service on this machine; create it if needed')
    .action(run(logIn))
  program.command('logout').description('end the session').action(run(logOut))
  program.command('whoami').description('print the signed-in account and the service').action(run(whoAmI))
  group('account', 'your developer account')
    .command('delete')
    .description('delete your account; delete its projects first')
    .option('--password-stdin', 'read the password from the input')
    .option('--forfeit-balance', 'also if the account has prepaid credit, which is lost')
    .option(...yes)
    .action(run(deleteAccount))

  program
    .command('start')
    .alias('dev')
    .description('start the service on this machine')
    .action(run(startServer))
  program.command('doctor').description('check for common problems and suggest fixes').action(run(runDoctor))
  program
    .command('backup <file>')
    .description('back up the data folder of the local service to a tar file; the service may be running')
    .option('--incomplete', 'also if the content of a file of functions is missing')
    .action(run(backUp))
  program
    .command('restore <file>')
    .description('restore a data folder from a backup file; never overwrites an existing one')
    .action(run(restore))
  program
    .command('help [command...]')
    .description('print help of a command')
    .action((words: string[]) => showHelp(program, words))

  return program
}

function number(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('It must be a number above 0.')
  return value
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}
