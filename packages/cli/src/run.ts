import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Command, CommanderError } from 'commander'

import { createAsk } from './ask.ts'
import { type Problem, problemText } from './config-file.ts'
import { type GlobalOptions, openContext } from './context.ts'
import { EXITS, Failure } from './failure.ts'
import type { Machine, Variables } from './machine.ts'
import { createOut, type Screen, shown } from './output.ts'
import { buildProgram, type Handler } from './program.ts'

/** Runs one command line; answers the exit code. */
export async function runSvc(args: readonly string[], machine: Machine): Promise<number> {
  const isJson = args.includes('--json')
  const errors = createOut(screenOf(process.stderr, machine.variables), { isJson: false })
  let said = ''

  const run = (handler: Handler) =>
    async function action(this: Command, ...given: unknown[]) {
      const options = this.optsWithGlobals<GlobalOptions>()
      const out = createOut(screenOf(process.stdout, machine.variables), { isJson: options.json === true })
      const ask = createAsk({ canAsk: out.isTerminal && process.stdin.isTTY })
      const context = openContext(machine, out, ask, options)
      // commander gives the arguments, then the options, then the command.
      const values = given.slice(0, -2)
      const result = await handler(context, options as never, ...(values as never[]))
      if (result !== undefined) out.result(result)
    }

  const program = buildProgram(version(), run)
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({ writeErr: (text) => void (said += text) })
  }

  try {
    await program.parseAsync(args, { from: 'user' })
    return EXITS.ok.code
  } catch (error) {
    const failure = failureOf(error, said)
    if (!failure) return EXITS.ok.code
    if (isJson) process.stderr.write(`${JSON.stringify(asJson(failure))}\n`)
    else tell(errors, failure)
    return EXITS[failure.exit].code
  }
}

const version = (): string =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)]

/** Nothing for help and version, which commander ends like an error. Anything unexpected is a bug and shows its trace. */
function failureOf(error: unknown, said: string): Failure | undefined {
  if (error instanceof Failure) return error
  if (isOfDisk(error)) return new Failure('failed', error.message)
  if (!(error instanceof CommanderError)) throw error
  if (error.exitCode === 0) return undefined
  const text = (said || error.message).trim().replace(/^error: /, '')
  if (text.startsWith('Usage:')) return new Failure('usage', `Which one?\n${text}`)
  return new Failure('usage', text, { fix: 'svc help shows what there is.' })
}

const isOfDisk = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'

const asJson = ({ code, message, fix, details }: Failure) => ({
  error: { code, message, ...(fix !== undefined && { fix }), ...(details && { details }) },
})

function tell(errors: ReturnType<typeof createOut>, { code, exit, message, fix, details }: Failure) {
  const problems = Array.isArray(details?.['errors']) ? (details['errors'] as Problem[]) : []
  for (const problem of problems) errors.problem(shown(problemText(problem)))
  const [first = '', ...more] = message.split('\n')
  errors.problem(exit === 'refused' && problems.length === 0 ? `${first} (${code})` : first)
  for (const line of more) errors.line(line)
  if (fix !== undefined) errors.line(`→ ${fix}`)
}

const screenOf = (stream: NodeJS.WriteStream, { NO_COLOR, TERM }: Variables): Screen => ({
  write: (text) => void stream.write(text),
  isTerminal: stream.isTTY && TERM !== 'dumb',
  hasColours: stream.isTTY && !NO_COLOR && TERM !== 'dumb',
})
