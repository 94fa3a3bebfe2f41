import { closest } from '@svc/contract/config-shape'
import { type Command, CommanderError } from 'commander'

import { Failure } from './failure.ts'

/** The command that commander was reading when it gave up, and what it has said. */
export type Refused = { by: Command; said: string }

/** Help and version end like an error in commander, but are none. */
export const isAnswered = (error: unknown, { said }: Refused): boolean =>
  error instanceof CommanderError &&
  (/^commander\.(?:helpDisplayed|version)$/.test(error.code) ||
    (error.code === 'commander.help' && said === ''))

/** What is wrong with the command line, and where it is told how it is right. */
export function usageError(error: CommanderError, { by, said }: Refused, args: readonly string[]): Failure {
  const path = pathOf(by)
  const fix = `See: svc help${path && ` ${path}`}`
  if (error.code === 'commander.help') {
    return new Failure('usage', `Missing subcommand: svc ${path} ${namesOf(by).join(' | ')}`, { fix })
  }
  const word = error.code === 'commander.excessArguments' ? args[args.indexOf(groupOf(by)) + 1] : undefined
  if (word !== undefined && groupOf(by) !== '') return unknownCommand(word, by.parent ?? by)

  return new Failure('usage', (said || error.message).trim().replace(/^error: /, ''), { fix })
}

/** `svc help config push` */
export function showHelp(program: Command, words: readonly string[]) {
  const command = words.reduce((parent, word) => {
    const found = parent.commands.find((one) => one.name() === word || one.alias() === word)
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

/** `keys` for `svc keys lst`, whose word was taken for an argument of `svc keys list`. */
const groupOf = ({ parent }: Command): string => (parent?.parent ? parent.name() : '')

const pathOf = (command: Command): string =>
  command.parent ? [pathOf(command.parent), command.name()].filter(Boolean).join(' ') : ''

const namesOf = ({ commands }: Command): string[] => commands.map((one) => one.name())
