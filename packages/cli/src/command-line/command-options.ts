import { InvalidArgumentError, Option } from 'commander'

/** An option and the type of its value, which only the compiler reads. With `HasDefault`, it always has a value. */
export type OptionOf<Value, HasDefault extends boolean = boolean> = {
  option: Option
  hasDefault: HasDefault
  valueType?: Value
}

const optional = <Value>(option: Option): OptionOf<Value, false> => ({ option, hasDefault: false })
const defaulted = <Value>(option: Option): OptionOf<Value, true> => ({ option, hasDefault: true })

/** `--name <text>` */
export const text = (flags: string, description: string) => optional<string>(new Option(flags, description))

/** `--yes` */
export const flag = (flags: string, description: string) => optional<boolean>(new Option(flags, description))

/** `--no-install`, whose value is false if it is given. */
export const negatedFlag = (flags: string, description: string) =>
  defaulted<boolean>(new Option(flags, description))

/** `--to <env>`, with a value if it is not given. */
export const textOr = (defaultValue: string, flags: string, description: string) =>
  defaulted<string>(new Option(flags, description).default(defaultValue))

/** `--level <level>`: one of several words. */
export const choice = <const Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
) => optional<Word>(new Option(flags, description).choices(words))

/** One of several words, with a value if it is not given. */
export const choiceOr = <const Word extends string>(
  defaultValue: NoInfer<Word>,
  flags: string,
  description: string,
  words: readonly Word[],
) => defaulted<Word>(new Option(flags, description).choices(words).default(defaultValue))

/** `--hours <number>`: a number above 0. */
export const number = (flags: string, description: string) =>
  optional<number>(new Option(flags, description).argParser(numberAboveZero))

/** A number above 0, with a value if it is not given. */
export const numberOr = (defaultValue: number, flags: string, description: string) =>
  defaulted<number>(new Option(flags, description).argParser(numberAboveZero).default(defaultValue))

/** `--finish-minutes <minutes>`: a whole number from 0 to `max`. */
export const count = (flags: string, description: string, max: number) =>
  optional<number>(new Option(flags, description).argParser((value) => countUpTo(value, max)))

/** Options that several commands have. */
export const yes = flag('-y, --yes', 'do not ask')
export const migrate = flag(
  '--migrate',
  'apply migrations that are not applied yet, before the version is live',
)
export const limit = optional<number>(
  new Option('--limit <number>', 'maximum number of results').argParser(wholeNumber),
)
export const cursor = text('--cursor <text>', 'continue after the previous page')
export const message = text('-m, --message <text>', 'description of this version, shown in the history')
export const outputFile = text('-o, --output <file>', 'write to this file; it must not exist')
export const projectName = text('--name <text>', 'project name (default: derived from the folder name)')
export const install = negatedFlag('--no-install', 'do not run npm install')
export const passwordStdin = flag('--password-stdin', 'read the password from stdin')

function numberAboveZero(value: string): number {
  const parsed = Number(value)
  if (value.trim() === '' || !Number.isFinite(parsed) || parsed <= 0)
    throw new InvalidArgumentError('It must be a number above 0.')
  return parsed
}

function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(value)
}

function countUpTo(value: string, max: number): number {
  if (!/^\d{1,9}$/.test(value) || Number(value) > max)
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`)
  return Number(value)
}
