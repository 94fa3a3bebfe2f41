import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'

import type { CommandGroup } from '../command-line/command-group.ts'
import { yes } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { counted } from '../output/output.ts'
import { writeAtomically } from '../project/atomic-write.ts'
import { configPath, invalidConfig, readConfigFile } from '../project/config-file.ts'
import { changeText, dryRun, printPush, push } from '../project/config-push.ts'

/** Adds `svc config …`. */
export function addConfigCommands(program: CommandGroup) {
  const config = program.group('config', 'an environment’s config document (svc.config.json)')
  config.command(
    'push [file]',
    'replace the config with the file’s contents; asks before it turns a feature off',
    pushConfigFile,
    { yes },
  )
  config.command('pull [file]', 'write the config to the file', pullConfig, { yes })
  config.command('diff [file]', 'show what a push would change', diffConfig)
  config.command(
    'validate [file]',
    'validate the file locally, without contacting the service',
    validateConfig,
  )
}

const pathOf = ({ system, workspace }: Context, file: string | undefined) =>
  file === undefined ? configPath(workspace.folder) : resolve(system.folder, file)

/** Validates locally, by the same rules as the service. */
async function validateConfig(context: Context, _options: object, file?: string) {
  const { checkConfig } = await import('@svc/contract/config/rules')
  const config = readConfigFile(pathOf(context, file))
  const problems = config.withLines(checkConfig(config.document, { environment: context.env }))
  if (problems.length > 0) {
    throw invalidConfig(`${config.path} has ${counted(problems.length, 'problem')}.`, config.path, problems)
  }
  context.out.done(`${basename(config.path)} is valid for ${context.env}`)
  return { valid: true }
}

async function pushConfigFile(context: Context, { yes }: { yes?: boolean }, file?: string) {
  const result = await push(context, readConfigFile(pathOf(context, file)), { yes })
  printPush(context.out, result)
  return result
}

async function diffConfig(context: Context, _options: object, file?: string) {
  const changes = await dryRun(context, readConfigFile(pathOf(context, file)))
  if (changes.length === 0) context.out.line(`no differences from ${context.env}`)
  for (const change of changes) context.out.line(changeText(change))
  return { changes }
}

async function pullConfig(context: Context, { yes }: { yes?: boolean }, file?: string) {
  const { out, ask, calls, system } = context
  const { version, config } = await calls.admin('readConfig', {})
  const path = pathOf(context, file)
  if (existsSync(path)) {
    await ask.require(`Overwrite ${path} with ${context.env} config v${version}?`, { yes })
  }
  const text = `${JSON.stringify(config, null, 2)}\n`
  await writeAtomically(path, { content: text, randomText: system.randomText() })
  out.done(`${context.env} config v${version} written to ${path}`)
  return { version, path }
}
