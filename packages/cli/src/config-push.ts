import type { EnvironmentName } from '@svc/contract/common-schemas'
import type { Change, DryRun, Pushed } from '@svc/contract/config'
import type { ConfigDocument } from '@svc/contract/config-document'
import { SWITCHES, switchedAt } from '@svc/contract/config-switches'

import { type ConfigFile, invalidConfig } from './config-file.ts'
import type { Context } from './context.ts'
import { type Failure, isFailure } from './failure.ts'
import { shown } from './output.ts'

export type PushResult = { version: number; changed: boolean; turnedOn: string[]; turnedOff: string[] }

/** Pushes the document of the file; problems are reported with their lines. */
export async function push({ calls }: Context, file: ConfigFile): Promise<PushResult> {
  const { config: before } = await calls.admin('readConfig', {})
  const { version, changed, config } = (await withLineNumbers(file, () =>
    calls.admin('pushConfig', { query: {}, body: file.document }),
  )) as Pushed
  return { version, changed, ...switched(before, config) }
}

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
  const value = (input: unknown) => shown(JSON.stringify(input) ?? 'null')
  const where = path.replace(/^\$\.?/, '')
  if (before === null || before === undefined) return `+ ${where}: ${value(after)}`
  if (after === null || after === undefined) return `- ${where}: ${value(before)}`
  return `~ ${where}: ${value(before)} → ${value(after)}`
}
