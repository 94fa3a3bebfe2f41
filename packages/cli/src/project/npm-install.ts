import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

import type { Output } from '../output/output.ts'
import type { System, Variables } from '../system.ts'

const INSTALL = ['install', '--no-audit', '--no-fund', '--loglevel=error']
const INSTALL_MS_MAX = 10 * 60_000

/**
 * Installs the dependencies of the folder; and `specifiers` again, even if their versions are the same. A failure is reported, not thrown,
 * because everything else is done.
 */
export async function npmInstall(
  { variables }: System,
  out: Output,
  folder: string,
  specifiers: readonly string[] = [],
): Promise<boolean> {
  const command = installCommand(specifiers)
  out.info(`running ${command}`)
  const problem = await run(variables, folder, specifiers)
  if (problem === undefined) return true
  out.warn(`npm install failed${problem && `: ${problem}`}. Run again in ${folder}: ${command}`)
  return false
}

/** The command as a person types it. */
export const installCommand = (specifiers: readonly string[]): string =>
  ['npm install', ...specifiers].join(' ')

async function run(
  variables: Variables,
  folder: string,
  specifiers: readonly string[],
): Promise<string | undefined> {
  const [program, ...args] = npmCommand(variables)
  const npm = spawn(program, [...args, ...INSTALL, ...specifiers], {
    cwd: folder,
    env: withoutNpmRun(variables),
    stdio: ['ignore', 'ignore', 'pipe'],
    // On Windows npm is npm.cmd, which only a shell can start.
    shell: process.platform === 'win32' && args.length === 0,
    timeout: INSTALL_MS_MAX,
  })
  const output = text(npm.stderr)
  const [code] = await once(npm, 'exit').catch((error: NodeJS.ErrnoException) => [error.code ?? 'not found'])
  return code === 0 ? undefined : firstLine(await output) || String(code)
}

/** The npm that started this command, or the one in PATH. */
function npmCommand({ npm_node_execpath: node, npm_execpath: npm }: Variables): [string, ...string[]] {
  return node && npm ? [node, npm] : ['npm']
}

/** Removes the variables of `npm run`, which belong to another folder. */
const withoutNpmRun = (variables: Variables) =>
  Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) =>
        !/^(?:INIT_CWD|npm_(?:package|lifecycle|command|config_(?:local_prefix|prefix|json)).*)$/.test(name),
    ),
  )

const firstLine = (output: string) =>
  output
    .trim()
    .split('\n')[0]
    ?.replace(/^npm (?:error|ERR!) */, '') ?? ''
