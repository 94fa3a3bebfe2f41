import type { Command } from 'commander'

import type { Context, GlobalOptions } from '../context.ts'
import type { OptionOf } from './command-options.ts'

/** Opens the context of a command, does its work in it and prints the result. */
export type Run = (command: Command, work: (context: Context) => Promise<unknown>) => Promise<void>

/** What a command does. The compiler compares its options and arguments with their definitions. */
type Handler<Options, Name extends string> = (
  context: Context,
  options: Options,
  ...args: ArgumentsOf<Name>
) => Promise<unknown>

/** The types of the arguments that follow the name, as in `ban <id>`, `push [file]` and `enable <feature...>`. */
type ArgumentsOf<Name extends string> =
  WordsOf<Name> extends [string, ...infer Words]
    ? { [Index in keyof Words]: ArgumentOf<Words[Index]> }
    : never
type WordsOf<Text extends string> = Text extends `${infer Word} ${infer Rest}`
  ? [Word, ...WordsOf<Rest>]
  : [Text]
type ArgumentOf<Word> = Word extends `<${string}...>`
  ? string[]
  : Word extends `<${string}`
    ? string
    : string | undefined

/** One definition per option of the handler. Those of all commands have theirs in `program.ts`. */
type DefinitionsOf<Options> = {
  [Name in Exclude<keyof Options, keyof GlobalOptions>]-?: object extends Pick<Options, Name>
    ? OptionOf<NonNullable<Options[Name]>>
    : OptionOf<Options[Name], true>
}
type DefinitionsIfAny<Options> = keyof DefinitionsOf<Options> extends never ? [] : [DefinitionsOf<Options>]

/** The program or a group of commands; the files in `commands/` and `functions/` add theirs to it. */
export interface CommandGroup extends ReturnType<typeof commandGroup> {}

/** Adds commands to `parent`. The one called `defaultName` runs if the command line names none of the group. */
export function commandGroup(parent: Command, run: Run, defaultName?: string) {
  return {
    group: (name: string, description: string, options: { defaultName?: string } = {}): CommandGroup =>
      commandGroup(
        parent.command(name).description(description).helpCommand(false),
        run,
        options.defaultName,
      ),

    /** Adds a command. The definitions of its options have the names of the options of the handler. */
    command<Options, Name extends string>(
      name: Name,
      description: string,
      handler: Handler<Options, Name>,
      ...[definitions]: DefinitionsIfAny<Options>
    ): Command {
      const command = parent.command(name, { isDefault: name === defaultName }).description(description)
      for (const [key, { option }] of Object.entries<OptionOf<unknown>>(definitions ?? {})) {
        if (option.attributeName() !== key)
          throw new Error(`The option ${option.flags} is not called ${key}.`)
        command.addOption(option)
      }
      return command.action((...given: unknown[]) => {
        // Commander gives the arguments, then the options, then the command. It has validated them.
        const args = given.slice(0, -2) as ArgumentsOf<Name>
        return run(command, (context) => handler(context, command.optsWithGlobals() as Options, ...args))
      })
    },
  }
}
