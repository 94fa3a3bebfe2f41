import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { printable } from '../output/output.ts'

const BUILD_MS_MAX = 10 * 60_000
const SHOWN_MAX = 4_000

/** Runs the build command of a project, which writes its pages for example. It finds the programs of the project's packages. */
export async function runBuild(
  { out, system }: Context,
  { command, folder }: { command: string; folder: string },
) {
  out.info(`building: ${printable(command)}`)
  const child = spawn(command, {
    shell: true,
    cwd: folder,
    env: {
      ...system.variables,
      PATH: [...programFolders(folder), system.variables['PATH'] ?? ''].join(delimiter),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: BUILD_MS_MAX,
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'exit').catch((error: Error) => [error.message])
  if (code === 0) return
  const message = (await output).join('').trim().slice(-SHOWN_MAX)
  throw new Failure('usage', `The wrangler file’s build command failed: ${printable(command)}`, {
    details: { errors: [{ path: 'build.command', message: printable(message) || String(code) }] },
  })
}

/** As `npm run` has them: of the folder and of those above it. */
function programFolders(folder: string): string[] {
  const above = dirname(folder)
  return [join(folder, 'node_modules/.bin'), ...(above === folder ? [] : programFolders(above))]
}
