import { basename } from 'node:path'

import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { Change, DryRun, Pushed } from '@svc/contract/config/config'
import { fillDefaults } from '@svc/contract/config/defaults'
import type { ConfigDocument } from '@svc/contract/config/document'
import { SWITCHES, switchedAt } from '@svc/contract/config/switches'

import type { Context } from '../context.ts'
import { type Failure, isFailure } from '../output/failure.ts'
import { type Output, printable } from '../output/output.ts'
import { type ConfigFile, invalidConfig } from './config-file.ts'

type PushResult = { version: number; changed: boolean; turnedOn: string[]; turnedOff: string[] }

/** `expected`: switches that the command itself turns off. */
type PushOptions = { yes?: boolean | undefined; expected?: readonly string[] }

/**
 * Pushes the document of the file; problems are reported with their lines. Asks first if the push turns a feature off: a push
 * replaces the whole config, and what a document does not name is off.
 */
export async function push(
  context: Context,
  file: ConfigFile,
  { yes, expected = [] }: PushOptions,
): Promise<PushResult> {
  const { calls, ask, env } = context
  const { config: before } = await calls.admin('readConfig', {})
  const lost = turnedOffBy(file.document, before).filter((key) => !expected.map(shortName).includes(key))
  if (lost.length > 0 && !yes) {
    // An invalid document is reported before the question.
    await dryRun(context, file)
    await ask.require(`${basename(file.path)} turns off ${lost.join(', ')} in ${env}. Push it?`, { yes })
  }
  const { version, changed, config } = (await withLineNumbers(file, () =>
    calls.admin('pushConfig', { query: {}, body: file.document }),
  )) as Pushed
  return { version, changed, ...switched(before, config) }
}

/** What a push of the file would change. */
export async function dryRun({ calls }: Context, file: ConfigFile): Promise<Change[]> {
  const answer = (await withLineNumbers(file, () =>
    calls.admin('pushConfig', { query: { dryRun: true }, body: file.document }),
  )) as DryRun
  return answer.changes
}

/** Without lines: between two environments there is no file. */
export async function pushDocument(
  { calls }: Context,
  document: ConfigDocument,
  env: EnvironmentName,
  { dry = false } = {},
) {
  const request = { query: dry ? { dryRun: true } : {}, body: document }
  return calls.admin('pushConfig', request, { env })
}

async function withLineNumbers<T>(file: ConfigFile, send: () => Promise<T>): Promise<T> {
  return send().catch((error: unknown) => {
    if (!isFailure(error, 'invalid_config')) throw error
    throw invalidConfig(
      `The service refused ${file.path}. Nothing was changed.`,
      file.path,
      file.withLines(errorsIn(error)),
      'refused',
    )
  })
}

const errorsIn = ({ details }: Failure) => (details?.['errors'] ?? []) as { path: string; message: string }[]

/** All share tools are shown as one switch. */
const shortName = (key: string) => key.replace(/^share\..*/, 'share')

function switched(before: object, after: object): Pick<PushResult, 'turnedOn' | 'turnedOff'> {
  const turned = (on: boolean) => [
    ...new Set(
      SWITCHES.filter(
        (one) => (switchedAt(after, one) ?? false) === on && (switchedAt(before, one) ?? false) !== on,
      ).map(({ key }) => shortName(key)),
    ),
  ]
  return { turnedOn: turned(true), turnedOff: turned(false) }
}

/** Switches that a push of the document would turn off. An invalid document turns nothing off: the service rejects it. */
function turnedOffBy(document: object, before: object): string[] {
  try {
    return switched(before, fillDefaults(document)).turnedOff
  } catch {
    return []
  }
}

/** A push that turned something off is a warning. */
export function printPush(out: Output, result: PushResult) {
  if (result.turnedOff.length > 0) out.warn(pushText(result))
  else out.done(pushText(result))
}

/** `config: saves, stats turned on (config v1)` */
export function pushText({ version, changed, turnedOn, turnedOff }: PushResult): string {
  if (!changed) return `config: no changes (config v${version})`
  const parts = [
    ...(turnedOn.length > 0 ? [`${turnedOn.join(', ')} turned on`] : []),
    ...(turnedOff.length > 0 ? [`${turnedOff.join(', ')} turned off`] : []),
  ]
  return `config: ${parts.join('; ') || 'changed'} (config v${version})`
}

/** `+` for an added value, `-` for a removed one, `~` for a changed one. */
export function changeText({ path, before, after }: Change): string {
  const value = (input: unknown) => printable(JSON.stringify(input) ?? 'null')
  const where = path.replace(/^\$\.?/, '')
  if (before === null || before === undefined) return `+ ${where}: ${value(after)}`
  if (after === null || after === undefined) return `- ${where}: ${value(before)}`
  return `~ ${where}: ${value(before)} → ${value(after)}`
}
