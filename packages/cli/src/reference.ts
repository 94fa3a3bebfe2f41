import type { Command } from 'commander'

import { EXIT_CODES } from './output/failure.ts'
import { buildProgram } from './program.ts'

/** docs/cli.md, from the definitions of the commands. */
export function cliPage(): string {
  const program = buildProgram('', async () => {})
  const commands = program.commands.flatMap((command) => entries(command))
  const exits = Object.values(EXIT_CODES).map(
    ({ code, error, meaning }) => `| ${code} | ${error && `\`${error}\``} | ${meaning} |`,
  )
  return `${[
    '# The `svc` command line',
    '<!-- Written by `npm run generate`; do not edit. -->',
    INTRODUCTION,
    '## Global options',
    optionTable(program),
    '## Commands',
    ...commands,
    '## Exit codes',
    ['| Code | `error.code` | Meaning |', '| --- | --- | --- |', ...exits].join('\n'),
  ].join('\n\n')}\n`
}

const INTRODUCTION = `Run every command as \`npm run svc -- <command>\`, in the svc folder or in a folder that \`svc new\` or \`svc init\` has set up: these have the CLI of their service in \`.svc\`. On npm, the name \`svc\` belongs to an unrelated package, which \`npm run\` never downloads. \`npm run svc -- new ../my-game\` creates a project on the local service and a folder with a game; \`npm run svc -- deploy public\` in that folder makes it live.

**Authentication.** \`svc login\` shows a one-time code that you confirm in the dashboard (\`/dashboard/device\`), and stores your developer session in \`~/.config/svc/credentials.json\`, readable only by you. On a local service without any developer, \`svc new\` and \`svc init\` create an account automatically; elsewhere they ask you to sign in. In CI set \`SVC_TOKEN\` to a developer token (\`kds_…\`), or set \`SVC_KEY\` to a secret key: the key gives access to one environment and works for these commands: config, deploy, deploys, rollback, players, appeals, rooms, mail.

**Agents.** \`svc agent login\` stores the token of an agent (\`agt_…\`) in \`~/.config/svc/agents.json\`, readable only by you; \`svc mcp\` uses it, or \`SVC_AGENT_TOKEN\` if that is set.

**Project.** \`.svc/project.json\`, which \`svc new\`, \`svc init\` and \`svc link\` write and which you commit to the repository, or \`SVC_PROJECT\` in \`.env\` or \`.env.local\`, in this folder or a parent folder. The option \`--project\` and the environment variable \`SVC_PROJECT\` take precedence.

**Scripts and CI.** Without a terminal, output has no colors and the CLI asks no questions: a command that needs an answer exits with code 2 and prints the option to use instead. \`NO_COLOR\` turns colors off in a terminal. With \`--json\` (\`npm run --silent svc -- … --json\`) the output is one JSON document (\`rooms watch\`: one per line): the result, or \`{ "error": { "code", "message", "fix"?, "details"? } }\`. The same message is printed as text on stderr.

**Secrets.** The CLI asks for passwords, tokens and credentials, or reads them from stdin or a file. Every user of a machine can read command-line arguments, so prefer \`SVC_TOKEN\` to \`--token\`. \`svc new\` writes the keys to \`.env\` and \`svc init\` to \`.env.local\`, which is readable only by you and ignored by git. \`svc deploy\` skips \`.env\` files, repositories, private keys and links, lists them, and refuses to deploy files that contain a secret key.

**Certificates.** If the certificate of the service is from a private authority, set \`NODE_EXTRA_CA_CERTS\` to its PEM file.`

/** A command, or all commands of a group. */
const entries = (command: Command, parent = ''): string[] =>
  command.commands.length > 0
    ? command.commands.flatMap((one) => entries(one, `${parent} ${command.name()}`.trim()))
    : [entry(command, parent)]

function entry(command: Command, parent: string): string {
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
