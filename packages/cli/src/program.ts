import { Argument, Command, InvalidArgumentError, Option } from 'commander'

import { logIn, logOut, whoAmI } from './commands/account.ts'
import { settleAppeal, showAppeals } from './commands/appeals.ts'
import { diffConfig, pullConfig, pushConfigFile, validateConfig } from './commands/config.ts'
import { deploy } from './commands/deploy.ts'
import { rollBack, showDeploys } from './commands/deploys.ts'
import { examine } from './commands/doctor.ts'
import { initFolder } from './commands/init.ts'
import { endKey, makeKey, showKeys } from './commands/keys.ts'
import { linkFolder } from './commands/link.ts'
import { showMail } from './commands/mail.ts'
import { newProject, TEMPLATE_NAMES } from './commands/new.ts'
import { ban, exportData, findPlayers, showPlayer, unban } from './commands/players.ts'
import { showProjects } from './commands/projects.ts'
import { promote } from './commands/promote.ts'
import { removeProvider, setProvider, showProviders, useTestProvider } from './commands/providers.ts'
import { watchRooms } from './commands/rooms.ts'
import { backUp, restore, startServer } from './commands/server.ts'
import type { Context } from './context.ts'
import { showHelp } from './usage.ts'

/** Options and arguments are what the definition below it says; commander has checked them. */
export type Handler = (context: Context, options: never, ...args: never[]) => Promise<unknown>
export type Run = (handler: Handler) => (...given: unknown[]) => Promise<void>

const yes = ['-y, --yes', 'do not ask'] as const
const projectName = ['--name <text>', 'project name (default: derived from the folder name)'] as const
const noInstall = ['--no-install', 'do not run npm install'] as const
const limit = new Option('--limit <number>', 'how many at most').argParser(wholeNumber)
const cursor = ['--cursor <text>', 'go on where the page before ended'] as const

/** Every command there is. `docs/cli.md` is generated from it. */
export function buildProgram(version: string, run: Run): Command {
  const program = new Command('svc')
    .description('Projects, config, deploys and players of svc, for developers and CI.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .option('--url <address>', 'of the service; else SVC_URL, the project file, http://localhost:8787')
    .option('--project <id>', 'id or slug; else SVC_PROJECT, the project file')
    .option('--env <name>', 'development (dev) or production (prod); development by default')
    .option('--json', 'print one JSON document instead of lines')

  const group = (name: string, description: string) =>
    program.command(name).description(description).helpCommand(false)

  program
    .command('new <folder>')
    .description('make a project, and a folder with a game that runs')
    .addOption(
      new Option('-t, --template <name>', 'what it begins as').choices(TEMPLATE_NAMES).default('duel'),
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
    .description('push the config, upload a folder (public by default) and make it live')
    .option('-m, --message <text>', 'what is new, for the history')
    .option('--no-config', 'leave the config as it is')
    .option('--no-activate', 'upload only; nothing goes live')
    .action(run(deploy))
  program.command('deploys').description('the versions there are').addOption(limit).action(run(showDeploys))
  program
    .command('rollback [version]')
    .description('make an older version live: the one named, or the last one that was')
    .action(run(rollBack))
  program
    .command('promote')
    .description('make what is live in one environment live in the other, with its config')
    .option('--from <env>', 'where it is live', 'development')
    .option('--to <env>', 'where it goes live', 'production')
    .option(...yes)
    .action(run(promote))

  const config = group('config', 'the config document (svc.config.json) of an environment')
  config.command('push [file]').description('replace the config by the file').action(run(pushConfigFile))
  config
    .command('pull [file]')
    .description('write the config to the file')
    .option(...yes)
    .action(run(pullConfig))
  config.command('diff [file]').description('what a push would change').action(run(diffConfig))
  config
    .command('validate [file]')
    .description('check the file, without the service')
    .action(run(validateConfig))

  const keys = group('keys', 'keys of an environment')
  keys.command('list', { isDefault: true }).description('the live keys').action(run(showKeys))
  keys
    .command('create')
    .description('make a key; it is shown this once')
    .addOption(
      new Option('--type <type>', 'who may use it').choices(['secret', 'publishable']).default('secret'),
    )
    .option('--label <text>', 'to tell it apart')
    .action(run(makeKey))
  keys
    .command('revoke <id>')
    .description('end a key at once')
    .option(...yes)
    .action(run(endKey))

  const providers = group('providers', 'what players sign in with at Google, Discord, Apple and X')
  providers
    .command('list', { isDefault: true })
    .description('every provider and its credentials')
    .action(run(showProviders))
  providers
    .command('test <provider>')
    .description('let the built-in test provider stand in (development only)')
    .action(run(useTestProvider))
  providers
    .command('set <provider>')
    .description('store credentials; a secret is asked for, or read from a file')
    .option('--client-id <id>', 'google, discord, x')
    .option('--client-secret-file <path>', 'google, discord, x')
    .option('--services-id <id>', 'apple')
    .option('--team-id <id>', 'apple')
    .option('--key-id <id>', 'apple')
    .option('--private-key-file <path>', 'apple: the .p8 file')
    .option('--bundle-id <id>', 'apple: of the iOS app')
    .option('--shared', 'x: the app that this service offers')
    .action(run(setProvider))
  providers
    .command('remove <provider>')
    .description('remove its credentials')
    .option(...yes)
    .action(run(removeProvider))

  const players = group('players', 'players of an environment')
  players
    .command('find [text]')
    .description('by id, email or the beginning of a name; newest first')
    .addOption(limit)
    .option(...cursor)
    .action(run(findPlayers))
  players.command('show <id>').description('one player').action(run(showPlayer))
  players
    .command('ban <id>')
    .description('end sessions, close connections, refuse sign-in, at once')
    .option('--reason <text>', 'the player is told')
    .addOption(
      new Option('--hours <number>', 'until then; else until unban. Needs a secret key').argParser(number),
    )
    .action(run(ban))
  players.command('unban <id>').description('lift the ban').action(run(unban))
  players
    .command('export <id>')
    .description('everything that is stored about a player, as JSON')
    .option('-o, --output <file>', 'into a new file')
    .action(run(exportData))

  const appeals = group('appeals', 'what banned players have to say')
  appeals
    .command('list', { isDefault: true })
    .description('newest first')
    .addOption(
      new Option('--status <status>', 'which')
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
    .option('--reject', 'the ban stays')
    .option('--response <text>', 'the player is told')
    .action(run(settleAppeal))

  group('rooms', 'what is going on')
    .command('watch', { isDefault: true })
    .description('connections, rooms, queues and channels, until Ctrl-C')
    .option('--once', 'print it and end')
    .addOption(new Option('--interval <seconds>', 'how often to look').argParser(number).default(1))
    .action(run(watchRooms))

  program
    .command('mail')
    .description('the mails that development would have sent')
    .addArgument(new Argument('[id]', 'print one whole, by its id or latest'))
    .addOption(limit)
    .action(run(showMail))

  program
    .command('login')
    .description('sign in as a developer')
    .option('--email <address>', 'of the account')
    .option('--password-stdin', 'read the password from the input')
    .option('--sign-up', 'create the account')
    .option('--invitation <token>', 'create the account with the token or link of an invitation')
    .option('--token-stdin', 'read a developer token (kds_…) from the input')
    .option('--local', 'the account of this machine’s own service; made when there is none')
    .action(run(logIn))
  program.command('logout').description('end the session').action(run(logOut))
  program.command('whoami').description('who is signed in, and where').action(run(whoAmI))

  program
    .command('start')
    .alias('dev')
    .description('start the service on this machine')
    .action(run(startServer))
  program.command('doctor').description('what usually stands in the way, with the fix').action(run(examine))
  program
    .command('backup <file>')
    .description('the data folder of this machine’s service as one tar file; it may be running')
    .action(run(backUp))
  program.command('restore <file>').description('a data folder from such a file').action(run(restore))
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
