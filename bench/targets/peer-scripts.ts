import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Target } from '../load.ts'
import { freePort, startServer } from '../processes.ts'

const FOLDER = join(import.meta.dirname, '../peers')
const INSTALL_TIMEOUT_MS = 600_000

/** parse-server does not support our Node version. */
export const PARSE_SERVER_NODE = join(FOLDER, `node_modules/node-linux-${process.arch}/bin/node`)

type PeerOptions = { program?: string; path?: string; options?: string[] }

/** Starts a script of `peers/` on a free port. */
export async function startPeer(
  opened: AsyncDisposableStack,
  script: string,
  { program = process.execPath, path = '/', options = [] }: PeerOptions = {},
): Promise<Target> {
  const port = await freePort()
  const args = ['--no-warnings', peerScript(script), '--port', String(port), ...options]
  const { pid, end } = await startServer({ program, args, port, path })
  opened.defer(end)
  return { port, pid, databases: [] }
}

/** The path of a script of `peers/`, after the peers were installed. */
export function peerScript(script: string): string {
  installOnce()
  return join(FOLDER, script)
}

function installOnce() {
  if (isInstalled()) return
  console.error('installing the peers into bench/peers/node_modules: about 690 MB, once')
  const args = ['install', '--no-package-lock', '--no-fund', '--no-audit', '--loglevel=error']
  execFileSync('npm', args, { cwd: FOLDER, stdio: 'inherit', timeout: INSTALL_TIMEOUT_MS })
}

function isInstalled(): boolean {
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.keys(dependencies).every((name) => existsSync(join(FOLDER, 'node_modules', name)))
}
