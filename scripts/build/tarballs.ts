import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const PACK_MS_MAX = 120_000

/** An entry of the list at `/packages/`. */
type Tarball = { name: string; version: string; file: string; bytes: number; integrity: string }

/** Packs a built package into a folder; returns the name of the file. */
export async function pack(home: string, folder: string): Promise<string> {
  const options = ['--silent', '--ignore-scripts', '--no-update-notifier', '--pack-destination', folder]
  const { stdout } = await run('npm', ['pack', ...options], {
    cwd: home,
    timeout: PACK_MS_MAX,
    // On Windows npm is npm.cmd, which only a shell can start.
    shell: process.platform === 'win32',
  })
  return stdout.trim()
}

/** Packs what games install, and writes `index.json`, the list that the service shows at `/packages/`. */
export async function packForGames(homes: readonly string[], folder: string) {
  await mkdir(folder, { recursive: true })
  const packages: Tarball[] = []
  for (const home of homes) {
    const { name, version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
    const file = await pack(home, folder)
    const content = await readFile(join(folder, file))
    const integrity = `sha512-${hash('sha512', content, 'base64')}`
    packages.push({ name, version, file, bytes: content.length, integrity })
  }
  await writeFile(join(folder, 'index.json'), `${JSON.stringify({ packages }, null, 2)}\n`)
}
