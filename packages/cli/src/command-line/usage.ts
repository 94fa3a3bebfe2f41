import { closest } from '@svc/contract/config/shape'
import { type Command, CommanderError } from 'commander'

import { Failure } from '../output/failure.ts'

/** The command that commander was parsing when it failed, and its output. */
export type ParsingState = { command: Command; output: string }

/** Commander throws for help and version, too; these are not errors. */
export const isHelpOrVersion = (error: unknown, { output }: ParsingState): boolean =>
  error instanceof CommanderError &&
  (/^commander\.(?:helpDisplayed|version)$/.test(error.code) ||
    (error.code === 'commander.help' && output === ''))

/** The error of a wrong command line, with the help command to run. */
export function usageError(
  error: CommanderError,
  { command, output }: ParsingState,
  args: readonly string[],
): Failure {
  const path = pathOf(command)
  const fix = `See: svc help${path && ` ${path}`}`
  if (error.code === 'commander.help') {
    return new Failure('usage', `Missing subcommand: svc ${path} ${namesOf(command).join(' | ')}`, { fix })
  }
  const word =
    error.code === 'commander.excessArguments' ? args[args.indexOf(groupOf(command)) + 1] : undefined
  if (word !== undefined && groupOf(command) !== '') return unknownCommand(word, command.parent ?? command)

  return new Failure('usage', (output || error.message).trim().replace(/^error: /, ''), { fix })
}

/** Prints the help of a command: `svc help config push`. */
export function showHelp(program: Command, words: readonly string[]) {
  const command = words.reduce((parent, word) => {
    const found = parent.commands.find((candidate) => candidate.name() === word || candidate.alias() === word)
    if (!found) throw unknownCommand(word, parent)
    return found
  }, program)
  command.outputHelp()
}

function unknownCommand(word: string, parent: Command): Failure {
  const near = closest(word, namesOf(parent))
  const path = pathOf(parent)
  return new Failure('usage', `unknown command '${word}'${near ? `\n(Did you mean ${near}?)` : ''}`, {
    fix: `See: svc help${path && ` ${path}`}`,
  })
}

/** Returns `keys` for `svc keys lst`, where `lst` was parsed as an argument of `svc keys list`. */
const groupOf = ({ parent }: Command): string => (parent?.parent ? parent.name() : '')

const pathOf = (command: Command): string =>
  command.parent ? [pathOf(command.parent), command.name()].filter(Boolean).join(' ') : ''

const namesOf = ({ commands }: Command): string[] => commands.map((candidate) => candidate.name())
