import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { changedFiles } from './changed-files.ts'

/**
 * npm run check [-- --changed[=<commit>]]
 *
 * With `--changed`, the formatter and the linter read only the files that differ from the last commit, or from the commit where this
 * branch left `<commit>`.
 */
/** Pages and what runs beside them are one: the tests of each import the service, which takes most of the time. */
const PROJECTS = [
  'tsconfig.json',
  'tsconfig.browser.json',
  'packages/server/src/engines/functions/workerd/workers/tsconfig.json',
]
const SOURCE = /\.[cm]?[jt]sx?$/

const root = resolve(import.meta.dirname, '..')
const cache = join(root, 'node_modules/.cache/check')
mkdirSync(cache, { recursive: true })

const [option = ''] = process.argv.slice(2)
const [isChanged, since = 'HEAD'] = /^--changed(?:=(.+))?$/.exec(option) ?? []
if (option !== '' && !isChanged) {
  console.error(`There is no option ${option}. Use --changed or --changed=<commit>.`)
  process.exit(2)
}
const files = isChanged ? changedFiles(root, since) : undefined
const sources = files?.filter((file) => SOURCE.test(file))

if (files) console.log(`${files.length} files have changed.`)
if (files?.length !== 0)
  run('oxfmt', ['--check', '--no-error-on-unmatched-pattern', ...(files ?? ['.'])], 'Run `npm run format`.')
if (sources?.length !== 0)
  run('oxlint', ['--type-aware', '--deny-warnings', '--no-error-on-unmatched-pattern', ...(sources ?? [])])
for (const project of PROJECTS) checkTypes(project)
runTests('architecture', 'overviews', 'spec-coverage')
// It takes ten seconds, and few changes make a generated file stale.
if (!files) runTests('generated')
// Twelve seconds if a package may look different to npm or to compilers, otherwise half of one.
if (!files) run(process.execPath, ['--conditions=source', 'scripts/check-packages.ts'])

/** The compiler stores what it has found, and checks again only what has changed and what depends on it. */
function checkTypes(project: string) {
  const stored = join(cache, `${project.replaceAll('/', '-')}.tsbuildinfo`)
  run('tsc', ['--noEmit', '--incremental', '--tsBuildInfoFile', stored, '-p', project])
}

function runTests(...names: string[]) {
  const tests = names.map((name) => `packages/server/test/${name}.test.ts`)
  run(process.execPath, ['--conditions=source', '--test', ...tests])
}

function run(program: string, args: string[], hint?: string) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
  if (status === 0) return
  if (hint !== undefined) console.error(hint)
  process.exit(status ?? 1)
}
