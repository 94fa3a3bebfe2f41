import { basename } from 'node:path'

import type { CommandGroup } from '../command-line/command-group.ts'
import { flag, numberOr, passwordStdin, text, yes } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure, ignoring } from '../output/failure.ts'
import { counted, timeText } from '../output/output.ts'
import { inputText } from '../system.ts'
import { withoutUndefined } from '../without-undefined.ts'
import { openAgentTokens } from './tokens.ts'

const HOURS_BY_DEFAULT = 8

/** Adds `svc agent …`. */
export function addAgentCommands(program: CommandGroup) {
  const agent = program.group('agent', 'programs that act for you in one environment', {
    defaultName: 'list',
  })
  agent.command('login', 'create an agent for this project and store its token, for svc mcp', logInAgent, {
    label: text('--label <text>', 'the agent’s name in the audit log (default: the folder name)'),
    tools: text('--tools <names>', 'tools beyond reading, separated by commas, like ban_player,push_config'),
    hours: numberOr(HOURS_BY_DEFAULT, '--hours <number>', 'lifetime in hours, at most 720'),
    unattended: flag('--unattended', 'destructive calls need no approval; development only'),
    passwordStdin,
  })
  agent.command('tools', 'list all tools, and which need your approval', listTools)
  agent.command('list', 'list an environment’s agents', listAgents)
  agent.command('revoke <id>', 'revoke an agent; its token stops working within a second', revokeAgent, {
    yes,
  })
}

type LogIn = { label?: string; tools?: string; hours: number; unattended?: boolean; passwordStdin?: boolean }

async function logInAgent(context: Context, options: LogIn) {
  const { calls, resolveEnvironment, out, system, url, env, workspace } = context
  const { hours, unattended } = options
  if (!Number.isInteger(hours)) throw new Failure('usage', '--hours must be a whole number.')
  const tools = (options.tools ?? '').split(',').flatMap((name) => name.trim() || [])
  const params = await resolveEnvironment()
  const label = options.label ?? (basename(workspace.folder).slice(0, 60) || 'agent')
  const password = env === 'production' && tools.length > 0 ? await passwordOf(context, options) : undefined

  const { agent, token } = await calls.developer('createAgent', {
    params,
    body: withoutUndefined({ label, tools, expiresInHours: hours, unattended, password }),
  })
  const tokens = openAgentTokens(system)
  const before = tokens.find(url, params)
  const { id, expiresAt } = agent
  await tokens.save(url, params, { id, label: agent.label, token, expiresAt })
  if (before)
    await calls
      .developer('revokeAgent', { params: { ...params, agentId: before.id } })
      .catch(ignoring('agent_not_found'))

  const rights = tools.length === 0 ? 'read' : `read and use ${counted(tools.length, 'tool')}`
  out.done(`the agent ${agent.label} (${id}) may ${rights} in ${env} until ${timeText(expiresAt)}`)
  out.line(`Its token is stored in ${tokens.path}. Next: svc mcp install`)
  return { agent, storedIn: tokens.path }
}

async function passwordOf({ system, ask }: Context, { passwordStdin: isPiped }: LogIn): Promise<string> {
  if (!isPiped) return ask.secret('Your password', '--password-stdin')
  const line = await inputText(system)
  if (line !== '') return line
  throw new Failure('usage', '--password-stdin: stdin is empty.', {
    fix: 'Send it there: svc agent login --password-stdin < file',
  })
}

async function listAgents({ calls, resolveEnvironment, out, system, url }: Context) {
  const params = await resolveEnvironment()
  const { agents } = await calls.developer('listAgents', { params })
  const stored = openAgentTokens(system).find(url, params)?.id
  out.table(
    ['ID', 'LABEL', 'MAY', 'EXPIRES', 'LAST USED', ''],
    agents.map(({ id, label, tools, unattended, expiresAt, lastUsedAt }) => [
      id,
      label,
      ['read', ...tools].join(', ') + (unattended ? ' (unattended)' : ''),
      timeText(expiresAt),
      timeText(lastUsedAt),
      id === stored ? 'on this machine' : '',
    ]),
    'No agents. Create one: svc agent login',
  )
  return { agents }
}

async function listTools({ out }: Context) {
  // All endpoints: no other command needs them.
  const { AGENT_TOOLS, USE_TEXTS } = await import('@svc/contract/common/agent-tool-list')
  out.table(
    ['TOOL', 'DEVELOPMENT', 'PRODUCTION', 'WHAT IT DOES'],
    AGENT_TOOLS.map(({ name, summary, uses }) => [
      name,
      USE_TEXTS[uses.development],
      USE_TEXTS[uses.production],
      // The first statement: the docs have the whole text.
      summary.split(/[;.] /)[0] ?? '',
    ]),
    '',
  )
  out.line('Grant tools: svc agent login --tools ban_player,push_config')
  return { tools: AGENT_TOOLS.map(({ name, summary, uses }) => ({ name, summary, ...uses })) }
}

async function revokeAgent(
  { calls, resolveEnvironment, out, ask, system }: Context,
  { yes }: { yes?: boolean },
  agentId: string,
) {
  const params = await resolveEnvironment()
  await ask.require(`Revoke ${agentId}? Its token stops working immediately.`, { yes })
  await calls.developer('revokeAgent', { params: { ...params, agentId } })
  await openAgentTokens(system).remove(agentId)
  out.done(`${agentId} revoked`)
  return { revoked: agentId }
}
