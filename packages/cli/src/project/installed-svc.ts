import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'

import type { Variables } from '../system.ts'

/** What `svc` starts in a terminal: the real path of the program, and its version if it can be found. */
type InstalledSvc = { program: string; version: string | undefined }

const NAME = process.platform === 'win32' ? 'svc.cmd' : 'svc'
const SCRIPT_BYTES_MAX = 10_000

/** The command that installs the CLI of a service on this machine. */
export const installCommandOf = (url: string): string => `npm install -g ${url}/packages/svc-cli.tgz`

/** Finds the CLI that is installed on this machine. Other packages have a program `svc` too, so the file is checked. */
export function findInstalledSvc({ PATH = '' }: Variables): InstalledSvc | undefined {
  for (const folder of PATH.split(delimiter)) {
    // npm adds these to the PATH of the commands that it starts.
    if (folder === '' || basename(dirname(folder)) === 'node_modules') continue
    const path = join(folder, NAME)
    if (existsSync(path)) return ourProgram(path)
  }
  return undefined
}

/** npm links to `bin/svc.js`. On Windows it writes a script that starts it, as some package managers do everywhere. */
function ourProgram(path: string): InstalledSvc | undefined {
  try {
    const program = realpathSync(path)
    if (basename(program) === 'svc.js') return { program, version: versionIn(join(program, '../..')) }
    const isScript =
      statSync(program).size <= SCRIPT_BYTES_MAX &&
      /[\\/]cli[\\/]bin[\\/]svc\.js/.test(readFileSync(program, 'utf8'))
    return isScript ? { program, version: versionIn(join(path, '../node_modules/@svc/cli')) } : undefined
  } catch {
    return undefined
  }
}

function versionIn(folder: string): string | undefined {
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined
}
