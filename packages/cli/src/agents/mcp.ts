import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { CommandGroup } from '../command-line/command-group.ts'
import { choiceOr, flag } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import type { Failure } from '../output/failure.ts'
import { printable } from '../output/output.ts'
import { OWN_FILES } from '../own-files.ts'
import { type ClientName, CLIENTS, clientText, type StartCommand, writeClientFile } from './client-files.ts'
import { linesOf } from './message-lines.ts'
import { createRelay } from './relay.ts'
import { givenAgentToken, noAgent, openAgentTokens } from './tokens.ts'

const LINE_LENGTH_MAX = 2 * 1024 * 1024
/** More messages wait until one is answered. */
const RUNNING_MAX = 32

/** Adds `svc mcp` and `svc mcp install`. */
export function addMcpCommands(program: CommandGroup) {
  const mcp = program.group('mcp', 'the service’s tools for agents (Model Context Protocol)', {
    defaultName: 'serve',
  })
  mcp.command('serve', 'speak MCP on stdin and stdout, with the token from svc agent login', serve)
  mcp.command('install', 'print an MCP client’s configuration, or write it', install, {
    client: choiceOr(
      'project',
      '--client <name>',
      'project (.mcp.json, for Claude Code and others), cursor, vscode or codex',
      Object.keys(CLIENTS) as ClientName[],
    ),
    write: flag('--write', 'write it to the client’s file in this folder'),
  })
}

/** Until the client closes the input. Only messages of the protocol are written to the output. */
async function serve(context: Context): Promise<undefined> {
  const { system, url } = context
  const { input, output, errors } = system
  const token = await tokenOf(context)
  const relay = createRelay({
    url,
    token,
    reportProblem: ({ message, fix }: Failure) =>
      void errors.write(`svc mcp: ${printable(fix === undefined ? message : `${message} ${fix}`)}\n`),
  })
  const running = new Set<Promise<void>>()
  input.setEncoding('utf8')
  for await (const line of linesOf(input, LINE_LENGTH_MAX)) {
    if (line?.trim() === '') continue
    const answered = relay.answer(line).then((answer) => {
      if (answer !== undefined) output.write(`${answer}\n`)
      running.delete(answered)
    })
    running.add(answered)
    if (running.size >= RUNNING_MAX) await Promise.race(running)
  }
  await Promise.all(running)
}

/** SVC_AGENT_TOKEN, or the agent that `svc agent login` has stored for this project and environment. */
async function tokenOf({ system, url, resolveEnvironment }: Context): Promise<string> {
  const given = givenAgentToken(system.variables)
  if (given !== undefined) return given
  const at = await resolveEnvironment()
  const stored = openAgentTokens(system).find(url, at)
  if (!stored) throw noAgent(at, 'none')
  if (stored.expiresAt <= system.now().toISOString()) throw noAgent(at, 'ended')
  return stored.token
}

async function install(
  { system, out, env, workspace }: Context,
  { client, write }: { client: ClientName; write?: boolean },
) {
  const start = startCommand(workspace.folder, env)
  const { file, usedBy } = CLIENTS[client]
  const text = clientText(client, start)
  if (!write) {
    out.line(`${file}, for ${usedBy} (add --write to write it):`)
    out.text(text.trimEnd())
    return { file, text }
  }
  const { path, changed } = await writeClientFile(workspace.folder, client, start, system.randomText())
  out.done(changed ? `${path} starts svc mcp` : `${path} is up to date`)
  out.line('It contains no token: you can commit it. Each developer runs svc agent login.')
  return { file: path, changed }
}

/** By the npm script of the project if it has one; otherwise the program that runs now, on this machine only. */
function startCommand(folder: string, env: string): StartCommand {
  const more = env === 'production' ? ['mcp', '--env', env] : ['mcp']
  return hasScript(folder)
    ? { command: 'npm', args: ['run', '--silent', 'svc', '--', ...more] }
    : { command: process.execPath, args: [OWN_FILES.program, ...more] }
}

function hasScript(folder: string): boolean {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return false
  try {
    return typeof JSON.parse(readFileSync(path, 'utf8')).scripts?.svc === 'string'
  } catch {
    return false
  }
}
