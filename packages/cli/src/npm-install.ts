import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

import type { Output } from './output.ts'
import type { System, Variables } from './system.ts'

const INSTALL = ['install', '--no-audit', '--no-fund', '--loglevel=error']
const INSTALL_MS_MAX = 10 * 60_000

/** Installs what the package.json of the folder names. A failure is reported, not thrown: everything else is in place. */
export async function npmInstall({ variables }: System, out: Output, folder: string): Promise<boolean> {
  out.info('running npm install')
  const problem = await run(variables, folder)
  if (problem === undefined) return true
  out.warn(`npm install failed${problem && `: ${problem}`}. Run it again in ${folder}`)
  return false
}

async function run(variables: Variables, folder: string): Promise<string | undefined> {
  const [program, ...args] = npmCommand(variables)
  const npm = spawn(program, [...args, ...INSTALL], {
    cwd: folder,
    env: withoutNpmRun(variables),
    stdio: ['ignore', 'ignore', 'pipe'],
    // npm is npm.cmd there, which only a shell can start.
    shell: process.platform === 'win32' && args.length === 0,
    timeout: INSTALL_MS_MAX,
  })
  const said = text(npm.stderr)
  const [code] = await once(npm, 'exit').catch((error: NodeJS.ErrnoException) => [error.code ?? 'not found'])
  return code === 0 ? undefined : firstLine(await said) || String(code)
}

/** The npm that started this command, where one did. */
function npmCommand({ npm_node_execpath: node, npm_execpath: npm }: Variables): [string, ...string[]] {
  return node && npm ? [node, npm] : ['npm']
}

/** `npm run` hands its own folder and options down, which are not those of the new folder. */
const withoutNpmRun = (variables: Variables) =>
  Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) =>
        !/^(?:INIT_CWD|npm_(?:package|lifecycle|command|config_(?:local_prefix|prefix|json)).*)$/.test(name),
    ),
  )

const firstLine = (said: string) =>
  said
    .trim()
    .split('\n')[0]
    ?.replace(/^npm (?:error|ERR!) */, '') ?? ''
