import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { CommandGroup } from '../command-line/command-group.ts'
import { text } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { timeText } from '../output/output.ts'
import { inputText } from '../system.ts'

/** Adds `svc functions secrets …`. */
export function addSecretCommands(functions: CommandGroup) {
  const secrets = functions.group('secrets', 'your code’s secrets', { defaultName: 'list' })
  secrets.command('list', 'list secret names', showSecrets)
  secrets.command(
    'set <name>',
    'set a secret; the command asks for the value or reads it from a file',
    setSecret,
    { file: text('--file <path>', 'file with the value; - reads stdin') },
  )
  secrets.command('delete <name>', 'delete a secret', deleteSecret)
}

async function showSecrets({ calls, out }: Context) {
  const { secrets } = await calls.admin('listFunctionSecrets', {})
  out.table(
    ['NAME', 'SET'],
    secrets.map(({ name, updatedAt }) => [name, timeText(updatedAt)]),
    'No secrets. Set one: svc functions secrets set NAME',
  )
  return { secrets }
}

async function setSecret({ calls, out, ask, system }: Context, { file }: { file?: string }, name: string) {
  const value =
    file === undefined
      ? await ask.secret(`Value of ${name}`, '--file <path>, or --file - for stdin')
      : file === '-'
        ? await inputText(system)
        : readFileSync(resolve(system.folder, file), 'utf8').replace(/\r?\n$/, '')
  const secret = await calls.admin('writeFunctionSecret', { params: { name }, body: { value } })
  out.done(`${name} set`)
  return secret
}

async function deleteSecret({ calls, out }: Context, _options: object, name: string) {
  const deleted = await calls.admin('deleteFunctionSecret', { params: { name } })
  out.done(`${name} deleted`)
  return deleted
}
