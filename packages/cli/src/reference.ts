import type { Command } from 'commander'

import { EXITS } from './failure.ts'
import { buildProgram } from './program.ts'

/** docs/cli.md, from the definitions of the commands. */
export function cliPage(): string {
  const program = buildProgram('', () => async () => {})
  const commands = program.commands.flatMap((command) =>
    command.commands.length > 0
      ? command.commands.map((one) => entry(one, command.name()))
      : [entry(command)],
  )
  const exits = Object.values(EXITS).map(
    ({ code, error, meaning }) => `| ${code} | ${error && `\`${error}\``} | ${meaning} |`,
  )
  return `${[
    '# svc, the command line',
    '<!-- Written by `npm run generate`; do not edit. -->',
    INTRODUCTION,
    '## Options of every command',
    optionTable(program),
    '## Commands',
    ...commands,
    '## Exit codes',
    ['| Code | `error.code` | Meaning |', '| --- | --- | --- |', ...exits].join('\n'),
  ].join('\n\n')}\n`
}

const INTRODUCTION = `\`npx svc new my-game\` makes a project at the service on this machine and a folder with a game; \`npx svc deploy public\` in that folder makes it live.

**Who asks.** \`svc login\` keeps a developer's session in \`~/.config/svc/credentials.json\`, which nobody else can read. At a service on this machine \`svc new\` makes an account by itself. In CI set \`SVC_KEY\` to a secret key: it opens one environment, and everything works with it that the service allows to keys (config, deploy, deploys, rollback, players, appeals, rooms, mail).

**Which project.** \`.svc/project.json\`, which \`svc new\` writes and which belongs into the repository, or \`SVC_PROJECT\` in \`.env\`, in the folder or one above; \`--project\` and the variable \`SVC_PROJECT\` go first.

**Scripts.** Without a terminal there are plain lines, no colours and no questions: what would be asked ends with exit code 2 and names the option that answers. \`NO_COLOR\` turns colours off in a terminal. With \`--json\` the output is one JSON document and nothing else (\`rooms watch\`: one a line): the result, or \`{ "error": { "code", "message", "fix"?, "details"? } }\`. The error output says the same in words.

**Secrets** never stand in the command line: passwords, tokens and credentials are asked for, or read from the input or a file. \`svc new\` writes the keys into \`.env\`, which only you can read and git leaves alone. \`svc deploy\` leaves out \`.env\` files, repositories, private keys and links, says so, and refuses a folder in whose files a secret key stands.`

function entry(command: Command, parent = ''): string {
  const title = ['svc', parent, command.name(), ...command.registeredArguments.map(argumentText)]
    .filter(Boolean)
    .join(' ')
  const alias = command.alias() ? ` (also \`svc ${command.alias()}\`)` : ''
  return [`### \`${title}\``, `${sentence(command.description())}${alias}.`, optionTable(command)]
    .filter(Boolean)
    .join('\n\n')
}

const argumentText = (argument: Command['registeredArguments'][number]) =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`

function optionTable(command: Command): string {
  if (command.options.length === 0) return ''
  const rows = command.options.map(({ flags, description, argChoices, defaultValue }) => {
    const choices = argChoices ? `: ${argChoices.map((choice) => `\`${choice}\``).join(', ')}` : ''
    const byDefault =
      defaultValue === undefined || typeof defaultValue === 'boolean'
        ? ''
        : `; \`${String(defaultValue)}\` by default`
    return `| \`${flags}\` | ${description}${choices}${byDefault} |`
  })
  return ['| Option | Meaning |', '| --- | --- |', ...rows].join('\n')
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
