// Plain JavaScript: the launcher runs it on old Nodes too.
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What runs is not changed by tests. */
const isTest = (path) => path.endsWith('.test.ts') || /[\\/]src[\\/]testing[\\/]/.test(path)

/**
 * Changes when a file at or below one of these paths changes: by names, sizes and times, without reading the files.
 *
 * @param {string} root
 * @param {readonly string[]} paths relative to `root`
 * @returns {string}
 */
export function versionOf(root, paths) {
  const version = createHash('sha256')
  for (const file of paths.flatMap((path) => filesBelow(join(root, path)))) {
    const { mtimeMs, size } = statSync(file)
    version.update(`${relative(root, file)} ${mtimeMs} ${size}\n`)
  }
  return version.digest('hex').slice(0, 16)
}

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !isTest(file))
    .sort()
}
