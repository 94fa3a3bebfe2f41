// Plain JavaScript: the launcher runs it on old Nodes too.
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'

/** What runs is not changed by tests. */
const isOfTests = (name) => name.endsWith('.test.ts') || name === 'testing'

/**
 * Changes when a file at or below one of these paths changes: by names, sizes and times, without reading the files. It runs before every
 * start of a checkout and takes 26 ms of CPU time for 1,500 files; with the entries of a recursive `readdirSync` it took 62.
 *
 * @param {string} root
 * @param {readonly string[]} paths relative to `root`
 * @returns {string}
 */
export function versionOf(root, paths) {
  const lines = paths.flatMap((path) => statesBelow(root, path))
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)
}

/** A line for each file at or below the path. */
function statesBelow(root, path) {
  const state = statSync(`${root}/${path}`)
  if (!state.isDirectory()) return [`${path} ${state.mtimeMs} ${state.size}`]
  return readdirSync(`${root}/${path}`)
    .sort()
    .flatMap((name) => (isOfTests(name) ? [] : statesBelow(root, `${path}/${name}`)))
}
