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

const INTRODUCTION = `Install \`svc\` from your service, once per machine:

\`\`\`sh
npm install -g http://localhost:8787/packages/svc-cli.tgz
\`\`\`

Every service offers the CLI of its own version at \`/packages/svc-cli.tgz\`. \`svc new my-game\` creates a project and a folder with a game, and \`svc deploy public\` in that folder makes it live. Run the install command again to upgrade.

**Versions.** \`svc new\` and \`svc init\` store the service’s CLI in the folder’s \`.svc\` and make it a dependency. In that folder and below, \`svc\` runs that version, once \`npm install\` has installed it. \`svc --version\` prints the version and where it is; \`svc doctor\` says if it differs from the service, and \`svc link\` replaces it.

**Without installing.** In a folder that \`svc new\` or \`svc init\` has set up, and in a clone of svc, \`npm run svc -- <command>\` does the same. Use this form in CI. Do not use \`npx\`: on npm, the name \`svc\` belongs to an unrelated package.

**Authentication.** \`svc login\` shows a one-time code that you confirm in the dashboard (\`/dashboard/device\`), and stores your developer session in \`~/.config/svc/credentials.json\`, readable only by you. On a local service without any developer, \`svc new\` and \`svc init\` create an account automatically; elsewhere they ask you to sign in. In CI set \`SVC_TOKEN\` to a developer token (\`kds_…\`), or set \`SVC_KEY\` to a secret key: the key gives access to one environment and works for these commands: config, deploy, deploys, rollback, players, appeals, rooms, mail.

**Agents.** \`svc agent login\` stores an agent’s token (\`agt_…\`) in \`~/.config/svc/agents.json\`, readable only by you; \`svc mcp\` uses it, or \`SVC_AGENT_TOKEN\` if that is set.

**Project.** \`.svc/project.json\`, which \`svc new\`, \`svc init\` and \`svc link\` write and you commit, or \`SVC_PROJECT\` in \`.env\` or \`.env.local\`, in this folder or a parent folder. The option \`--project\` and the environment variable \`SVC_PROJECT\` take precedence.

**Scripts and CI.** Without a terminal, output has no colors and the CLI asks no questions: a command that needs an answer exits with code 2 and prints the option to use instead. \`NO_COLOR\` turns colors off in a terminal. With \`--json\` (in CI \`npm run --silent svc -- … --json\`) the output is one JSON document (\`rooms watch\`: one per line): the result, or \`{ "error": { "code", "message", "fix"?, "details"? } }\`. The same message is printed as text on stderr.

**Secrets.** The CLI asks for passwords, tokens and credentials, or reads them from stdin or a file. Every user of a machine can read command-line arguments, so prefer \`SVC_TOKEN\` to \`--token\`. \`svc new\` writes the keys to \`.env\` and \`svc init\` to \`.env.local\`, which is readable only by you and ignored by git. \`svc deploy\` skips \`.env\` files, repositories, private keys and links, lists them, and refuses to deploy files that contain a secret key.

**Certificates.** If the service’s certificate is from a private authority, set \`NODE_EXTRA_CA_CERTS\` to its PEM file.`

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
