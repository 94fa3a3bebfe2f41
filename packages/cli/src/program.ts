import { Command } from 'commander'

import { addAgentCommands } from './agents/commands.ts'
import { addMcpCommands } from './agents/mcp.ts'
import { type CommandGroup, commandGroup, type Run } from './command-line/command-group.ts'
import { showHelp } from './command-line/usage.ts'
import { addSignInCommands } from './commands/account.ts'
import { addAppealCommands } from './commands/appeals.ts'
import { addConfigCommands } from './commands/config.ts'
import { addDashboardCommand } from './commands/dashboard.ts'
import { addAccountCommands } from './commands/delete-account.ts'
import { addDeployCommand } from './commands/deploy.ts'
import { addVersionCommands } from './commands/deploys.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addFeatureCommands } from './commands/features.ts'
import { addInitCommand } from './commands/init.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addLeaderboardCommands } from './commands/leaderboards.ts'
import { addLinkCommand } from './commands/link.ts'
import { addMailCommand } from './commands/mail.ts'
import { addMoneyCommands } from './commands/money.ts'
import { addNewCommand } from './commands/new.ts'
import { addPlayCommand } from './commands/play.ts'
import { addPlayerCommands } from './commands/players.ts'
import { addProjectsCommand } from './commands/projects.ts'
import { addPromoteCommand } from './commands/promote.ts'
import { addProviderCommands } from './commands/providers.ts'
import { addRoomCommands } from './commands/rooms.ts'
import { addBackupCommands, addStartCommand } from './commands/server.ts'
import { addShareCommands } from './commands/share.ts'
import { addTeamCommands } from './commands/team.ts'
import { addFunctionCommands } from './functions/commands.ts'

/** In the order of the help text. */
const ADD_COMMANDS: ((program: CommandGroup) => void)[] = [
  addNewCommand,
  addInitCommand,
  addLinkCommand,
  addProjectsCommand,
  addDeployCommand,
  addVersionCommands,
  addPromoteCommand,
  addConfigCommands,
  addFeatureCommands,
  addFunctionCommands,
  addPlayCommand,
  addDashboardCommand,
  addKeyCommands,
  addTeamCommands,
  addProviderCommands,
  addPlayerCommands,
  addAppealCommands,
  addRoomCommands,
  addLeaderboardCommands,
  addShareCommands,
  addMailCommand,
  addMoneyCommands,
  addAgentCommands,
  addMcpCommands,
  addSignInCommands,
  addAccountCommands,
  addStartCommand,
  addDoctorCommand,
  addBackupCommands,
]

/** Defines all commands. `docs/cli.md` is generated from it. */
export function buildProgram(version: string, run: Run): Command {
  const program = new Command('svc')
    .description('svc for developers and CI: projects, config, deploys and players.')
    .version(version, '-v, --version', 'print the version and where this CLI is installed')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .option(
      '--url <url>',
      'service URL (default: SVC_URL, then the project file, then http://localhost:8787)',
    )
    .option('--project <id>', 'project id or slug (default: SVC_PROJECT, then the project file)')
    .option('--env <name>', 'development (dev) or production (prod); development by default')
    .option('--token <token>', 'developer token (kds_…) for this command, for CI; prefer SVC_TOKEN')
    .option('--json', 'print the result as one JSON document')

  for (const add of ADD_COMMANDS) add(commandGroup(program, run))
  program
    .command('help [command...]')
    .description('print a command’s help')
    .action((words: string[]) => showHelp(program, words))
  return program
}
