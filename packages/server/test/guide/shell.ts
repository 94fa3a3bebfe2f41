import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

import { CommanderError, type Command } from 'commander'

import { buildProgram } from '../../../cli/src/program.ts'
import { HELP, OPTIONS } from '../../src/commands.ts'

/** What is wrong with a block of shell commands: its syntax, a command or an option that does not exist, two commands on one line. */
export async function shellProblems(text: string): Promise<string[]> {
  const filled = fillPlaceholders(text)
  const { status, stderr } = spawnSync('bash', ['-n'], { input: filled, encoding: 'utf8' })
  if (status !== 0) return [stderr.trim()]
  const inComments = filled.split('\n').flatMap((line) => commentProblem(line) ?? [])
  const commands = filled.replaceAll('\\\n', ' ').split('\n').flatMap(commandsIn)
  const problems = await Promise.all(commands.map(commandProblem))
  return [...inComments, ...problems.filter((problem) => problem !== undefined)]
}

/** What is wrong with a command in a sentence, such as `svc keys revoke`: it may lack arguments. */
export const mentionProblem = async (text: string): Promise<string | undefined> =>
  commandProblem([...(commandsIn(fillPlaceholders(text))[0] ?? []), '…'])

/** `<player-id>` would redirect the input. */
const fillPlaceholders = (text: string) => text.replaceAll(/<[a-z][\w ,-]*>/gi, 'placeholder')

/** A command behind a `#` is one that was on a line of its own before somebody wrapped the lines like prose. */
function commentProblem(line: string): string | undefined {
  const comment = tokensOf(line).find((token) => token.startsWith('#'))
  const [command, name] = /\b(?:npm run svc --|npm start|svc) (\S+)/.exec(comment ?? '') ?? []
  const isCommand = command?.startsWith('npm') || SVC_NAMES.has(name ?? '')
  return command !== undefined && isCommand ? `a command in a comment: ${command}` : undefined
}

const SVC_NAMES = new Set(buildProgram('', async () => {}).commands.map((command) => command.name()))

/** Words, quoted texts, comments and operators. */
const tokensOf = (line: string): string[] =>
  [...line.matchAll(/(?<=^|\s)#.*|&&|\|\|?|;|[()]|(?:"[^"]*"|'[^']*'|[^\s;|&()"']|&(?!&))+/g)].map(
    ([token]) => token,
  )

/** The words of each command of a line, without variables before it. */
function commandsIn(line: string): string[][] {
  const commands: string[][] = [[]]
  for (const token of tokensOf(line)) {
    if (token.startsWith('#')) continue
    if (/^(?:&&?|\|\|?|;|[()])$/.test(token)) commands.push([])
    else commands.at(-1)?.push(token.replaceAll(/["']/g, ''))
  }
  return commands.map((words) => words.slice(words.findIndex((word) => !/^(?:[A-Z_]+=|sudo$)/.test(word))))
}

async function commandProblem(words: string[]): Promise<string | undefined> {
  const server = serverArguments(words)
  if (server) return serverProblem(server)
  const svc = svcArguments(words)
  return svc && svcProblem(svc)
}

function svcArguments(words: readonly string[]): string[] | undefined {
  if (words[0] === 'svc') return words.slice(1)
  const at = words.indexOf('svc')
  if (words[0] !== 'npm' || at === -1) return undefined
  if (words.includes('run')) return words[at + 1] === '--' ? words.slice(at + 2) : words.slice(at + 1)
  return words[at - 1] === '--' ? words.slice(at + 1) : undefined
}

function serverArguments(words: readonly string[]): string[] | undefined {
  const at = words.findIndex((word) => /(?:^|\/)svc-server$/.test(word))
  if (at !== -1 && (at === 0 || words[0] === 'docker')) return words.slice(at + 1)
  if (words[0] !== 'npm' || words[1] !== 'start') return undefined
  return words.slice(words[2] === '--' ? 3 : 2)
}

/** Parsed by the real command line; nothing is run. `…` stands for the rest of a command. */
async function svcProblem(args: readonly string[]): Promise<string | undefined> {
  const isShortened = args.includes('…')
  const given = args.filter((word) => word !== '…')
  if (given.length === 0 || (isShortened && given[0] === 'placeholder')) return undefined
  const program = buildProgram('', async () => {})
  let output = ''
  for (const command of everyCommand(program)) {
    command.exitOverride()
    command.configureOutput({ writeErr: (text) => void (output += text), writeOut: () => {} })
  }
  try {
    await program.parseAsync(given, { from: 'user' })
    return undefined
  } catch (error) {
    const code = error instanceof CommanderError ? error.code : ''
    if (/^commander\.(?:helpDisplayed|version)$/.test(code)) return undefined
    if (isShortened && /^commander\.(?:help|(?:option)?[mM]issing\w*)$/.test(code)) return undefined
    return `svc ${given.join(' ')}: ${(output || String(error)).trim()}`
  }
}

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)]

const SERVER_NAMES = new Set([...HELP.matchAll(/^ {2}(\w+(?: \w+)?)\b/gm)].map(([, name = '']) => name))

function serverProblem(args: readonly string[]): string | undefined {
  const said = `svc-server ${args.join(' ')}`
  try {
    const given = args.filter((word) => word !== '…')
    if (given[0] === 'placeholder') return undefined
    const { positionals } = parseArgs({ args: given, options: OPTIONS, allowPositionals: true })
    const [first = 'start', second = ''] = positionals
    const isKnown = SERVER_NAMES.has(first) || SERVER_NAMES.has(`${first} ${second}`)
    return isKnown ? undefined : `${said}: there is no such command`
  } catch (error) {
    return `${said}: ${String(error)}`
  }
}
