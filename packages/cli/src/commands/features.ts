import { closest } from '@svc/contract/config/shape'
import { SWITCHES } from '@svc/contract/config/switches'

import type { CommandGroup } from '../command-line/command-group.ts'
import { flag } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { writeAtomically } from '../project/atomic-write.ts'
import { configFileOf, configPath, readConfigFile } from '../project/config-file.ts'
import { printPush, push } from '../project/config-push.ts'
import { setInJson } from '../project/json-edit.ts'
import { CONFIG_FILE } from '../project/workspace.ts'

/** Adds `svc enable` and `svc disable`. */
export function addFeatureCommands(program: CommandGroup) {
  const options = { yes: flag('-y, --yes', 'do not ask if the file turns other features off') }
  program.command(
    'enable <feature...>',
    'turn features on in svc.config.json, such as saves, stats, google or share.links, and push it',
    enableFeatures,
    options,
  )
  program.command(
    'disable <feature...>',
    'turn features off in svc.config.json and push it',
    disableFeatures,
    options,
  )
}

type Yes = { yes?: boolean }

const enableFeatures = (context: Context, options: Yes, names: string[]) =>
  switchFeatures(context, options, names, true)

const disableFeatures = (context: Context, options: Yes, names: string[]) =>
  switchFeatures(context, options, names, false)

/** Changes the switches in the config file, which keeps its layout, and pushes it. The file is written only if the service accepts it. */
async function switchFeatures(context: Context, { yes }: Yes, names: readonly string[], value: boolean) {
  const { workspace, system, out } = context
  const switches = names.map(switchNamed)
  const { path, text: before } = readConfigFile(configPath(workspace.folder))
  const text = switches.reduce((edited, at) => setInJson(edited, at.configPath.split('.'), value), before)
  const file = configFileOf(path, text)
  const result = await push(context, file, { yes, expected: value ? [] : switches.map(({ key }) => key) })
  if (text !== before) await writeAtomically(path, { content: text, randomText: system.randomText() })
  printPush(out, result)
  if (text !== before) out.line(`${CONFIG_FILE} updated`)
  return { ...result, path }
}

function switchNamed(name: string): { key: string; configPath: string } {
  if (name === 'functions')
    throw new Failure('usage', 'The config does not turn functions on.', {
      fix: 'Deploy your code: svc functions deploy',
    })
  const found = SWITCHES.find(({ key }) => key === name)
  if (found && found.configPath !== null) return { key: found.key, configPath: found.configPath }
  const all = SWITCHES.filter(({ configPath: at }) => at !== null).map(({ key }) => key)
  const near = closest(name, all)
  throw new Failure('usage', `Unknown feature: ${name}.`, {
    fix: near ? `Did you mean ${near}?` : `Features: ${all.join(', ')}`,
  })
}
