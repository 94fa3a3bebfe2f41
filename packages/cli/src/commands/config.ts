import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'

import { writeAtomically } from '../atomic-write.ts'
import { configPath, invalidConfig, readConfigFile } from '../config-file.ts'
import { changeText, dryRun, printPush, push } from '../config-push.ts'
import type { Context } from '../context.ts'
import { counted } from '../output.ts'

const pathOf = ({ system, workspace }: Context, file: string | undefined) =>
  file === undefined ? configPath(workspace.folder) : resolve(system.folder, file)

/** Validates locally, by the same rules as the service. */
export async function validateConfig(context: Context, _options: object, file?: string) {
  const { checkConfig } = await import('@svc/contract/config-rules')
  const config = readConfigFile(pathOf(context, file))
  const problems = config.withLines(checkConfig(config.document, { environment: context.env }))
  if (problems.length > 0) {
    throw invalidConfig(`${config.path} has ${counted(problems.length, 'problem')}.`, config.path, problems)
  }
  context.out.done(`${basename(config.path)} is valid for ${context.env}`)
  return { valid: true }
}

export async function pushConfigFile(context: Context, { yes }: { yes?: boolean }, file?: string) {
  const result = await push(context, readConfigFile(pathOf(context, file)), { yes })
  printPush(context.out, result)
  return result
}

export async function diffConfig(context: Context, _options: object, file?: string) {
  const changes = await dryRun(context, readConfigFile(pathOf(context, file)))
  if (changes.length === 0) context.out.line(`no differences from ${context.env}`)
  for (const change of changes) context.out.line(changeText(change))
  return { changes }
}

export async function pullConfig(context: Context, { yes }: { yes?: boolean }, file?: string) {
  const { out, ask, calls, system } = context
  const { version, config } = await calls.admin('readConfig', {})
  const path = pathOf(context, file)
  if (existsSync(path)) {
    await ask.require(`Overwrite ${path} with config v${version} of ${context.env}?`, { yes })
  }
  const text = `${JSON.stringify(config, null, 2)}\n`
  await writeAtomically(path, { text, randomText: system.randomText() })
  out.done(`config v${version} of ${context.env} written to ${path}`)
  return { version, path }
}
