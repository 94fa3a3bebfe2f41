import { type Command, CommanderError } from 'commander'

import type { Run } from './command-line/command-group.ts'
import { isHelpOrVersion, type ParsingState, usageError } from './command-line/usage.ts'
import { type GlobalOptions, openContext } from './context.ts'
import { createAsk } from './output/ask.ts'
import { diskFailure, isDiskError } from './output/disk-error.ts'
import { EXIT_CODES, Failure } from './output/failure.ts'
import { createOutput, type Output, type Screen, printable, printableLines } from './output/output.ts'
import { OWN_FILES, ownVersion } from './own-files.ts'
import { buildProgram } from './program.ts'
import { type Problem, problemText } from './project/config-file.ts'
import { asTyped, isByNpmRun } from './project/npm-run.ts'
import type { System, TextStream, Variables } from './system.ts'

/** The width of help texts without a terminal. */
const HELP_COLUMNS = 80

/** Runs one command line; returns the exit code. */
export async function runSvc(args: readonly string[], system: System): Promise<number> {
  const { variables, input, output } = system
  const isJson = args.includes('--json')
  const rewriteCommands = (text: string) =>
    isByNpmRun(variables)
      ? asTyped(
          text,
          program.commands.map((command) => command.name()),
        )
      : text
  const results = createOutput(screenOf(output, variables), { isJson, rewriteCommands })
  const errors = createOutput(screenOf(system.errors, variables), { isJson: false, rewriteCommands })

  const run: Run = async (command, work) => {
    const ask = createAsk({ canAsk: results.isTerminal && input.isTTY === true, input, output })
    const result = await work(openContext(system, results, ask, command.optsWithGlobals<GlobalOptions>()))
    if (result !== undefined) results.result(result)
  }

  const program = buildProgram(`${ownVersion()} (${OWN_FILES.folder})`, run)
  const parsing: ParsingState = { command: program, output: '' }
  for (const command of everyCommand(program)) {
    command
      .configureOutput({
        writeErr: (text) => void (parsing.output += text),
        writeOut: (text) => (isJson ? results.result({ text: text.trimEnd() }) : void output.write(text)),
        getOutHelpWidth: () => (output.isTTY ? output.columns : undefined) ?? HELP_COLUMNS,
      })
      .exitOverride((error) => {
        parsing.command = command
        throw error
      })
  }

  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' })
    return EXIT_CODES.ok.code
  } catch (error) {
    if (isHelpOrVersion(error, parsing)) return EXIT_CODES.ok.code
    const failure = failureOf(error, parsing, args)
    results.resultLine(asJson(failure))
    printFailure(errors, failure)
    return EXIT_CODES[failure.exit].code
  }
}

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)]

/** Any other error is a bug and is thrown with its stack. */
function failureOf(error: unknown, parsing: ParsingState, args: readonly string[]): Failure {
  if (error instanceof Failure) return error
  if (isDiskError(error)) return diskFailure(error)
  if (error instanceof CommanderError) return usageError(error, parsing, args)
  throw error
}

const asJson = ({ code, message, fix, details }: Failure) => ({
  error: { code, message, ...(fix !== undefined && { fix }), ...(details && { details }) },
})

function printFailure(errors: Output, { code, exit, message, fix, details, docUrl }: Failure) {
  const problems = Array.isArray(details?.['errors']) ? (details['errors'] as Problem[]) : []
  const file = typeof details?.['file'] === 'string' ? details['file'] : undefined
  for (const problem of problems) errors.problem(printable(problemText(problem, file)))
  const [first = '', ...more] = printableLines(message).split('\n')
  errors.problem(exit === 'refused' && problems.length === 0 ? `${first} (${code})` : first)
  for (const line of more) errors.line(line)
  if (fix !== undefined) errors.line(`→ ${fix}`)
  else if (docUrl !== undefined) errors.line(`→ ${docUrl}`)
}

const screenOf = (stream: TextStream, { NO_COLOR, TERM }: Variables): Screen => ({
  write: (text) => void stream.write(text),
  isTerminal: stream.isTTY === true && TERM !== 'dumb',
  hasColors: stream.isTTY === true && !NO_COLOR && TERM !== 'dumb',
  columns: stream.isTTY ? stream.columns || undefined : undefined,
})
