import { LIMITS } from '@svc/contract/common/limits'

import type { CommandGroup } from '../command-line/command-group.ts'
import { choice, choiceOr, count, flag, limit, message, migrate } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { bytesText, timeText } from '../output/output.ts'
import { addDatabaseCommands } from './database.ts'
import { deployFunctions, rollBackFunctions } from './deploy.ts'
import { watchFunctions } from './dev.ts'
import { initFunctions, STARTER_NAMES } from './init.ts'
import { showLogs } from './logs.ts'
import { addSecretCommands } from './secrets.ts'

/** Adds `svc functions …`. */
export function addFunctionCommands(program: CommandGroup) {
  const functions = program.group(
    'functions',
    'server functions: your code and its databases on the service',
    { defaultName: 'status' },
  )
  functions.command('status', 'show version, URL, limits, crons, resources and secret names', showFunctions)
  functions.command(
    'init [folder]',
    'create a folder (functions by default) with a function',
    initFunctions,
    { starter: choiceOr('bare', '--starter <name>', 'code to start from', STARTER_NAMES) },
  )
  functions.command(
    'dev [folder-or-file]',
    'run the code in development: bundle and deploy it when a file changes, and show the log; open rooms continue in the new code',
    watchFunctions,
  )
  functions.command(
    'deploy [folder-or-file]',
    'bundle the code in a folder (wrangler.jsonc or wrangler.toml) or a file, and make it live with its static files',
    deployFunctions,
    {
      message,
      finishMinutes: count(
        '--finish-minutes <minutes>',
        'how long open rooms keep the version before; 0: they continue in the new one immediately (default: that of their mode)',
        LIMITS.roomFinishMinutesMax,
      ),
      migrate,
    },
  )
  functions.command(
    'rollback [version]',
    'make an older version live: the given one, or the one before',
    rollBackFunctions,
  )
  functions.command(
    'logs [folder]',
    'show the log; stack traces name the source lines in the folder (functions by default)',
    showLogs,
    {
      follow: flag('-f, --follow', 'wait for new lines'),
      level: choice('--level <level>', 'this level and above', ['debug', 'info', 'log', 'warn', 'error']),
      limit,
    },
  )
  addSecretCommands(functions)
  addDatabaseCommands(functions)
}

async function showFunctions({ calls, out, env }: Context) {
  const status = await calls.admin('readFunctions', {})
  const state = status.suspended ? 'suspended' : status.enabled ? 'enabled' : 'disabled'
  out.fields([
    ['functions', `${state} in ${env}`],
    ['version', status.version === null ? 'nothing deployed' : `v${status.version}`],
    ['url', status.url ?? ''],
    ['limits', `${status.limits.cpuMs} ms CPU, ${status.limits.subRequests} sub-requests`],
    ['crons', status.crons.map(({ cron, nextAt }) => `${cron} (next ${timeText(nextAt)})`).join(', ')],
    ['rooms', status.rooms.map(({ className, tickRate }) => `${className} (${tickRate}/s)`).join(', ')],
    [
      'resources',
      status.resources.map(({ type, id, bytes }) => `${type} ${id} ${bytesText(bytes)}`).join(', '),
    ],
    ['secrets', status.secrets.join(', ')],
  ])
  if (status.version === null) out.line('→ Deploy your code: svc functions deploy')
  return status
}
