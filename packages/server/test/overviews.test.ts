import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const FILES_MAX = 10

const folders = globSync(['packages/*/{src,test}/**/', 'scripts/**/', 'bench/**/', 'docs/**/'], {
  cwd: root,
  // Those of the peers that the benchmarks have installed.
  exclude: ['**/node_modules'],
})
const filesOf = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => file.name)
const isModule = (file: string) => /\.(ts|tsx|js|mjs)$/.test(file) && !/\.(test|d)\.ts$/.test(file)

/** The files of a folder that its overview does not name. A name may contain a star, such as `*-store.ts`. */
function notNamed(files: readonly string[], overview: string): string[] {
  const names = [...overview.matchAll(/`([\w.*/-]+)`/g)].map(([, name = '']) => name)
  const patterns = names.map((name) => RegExp(`^${RegExp.escape(name).replaceAll('\\*', '.*')}$`))
  return files.filter((file) => !patterns.some((pattern) => pattern.test(file)))
}

test('a folder with more than ten files has a README.md that names its modules', () => {
  assert.ok(folders.length > 100, 'the folders were not found')
  const problems = folders.flatMap((folder) => {
    const files = filesOf(folder)
    if (files.length <= FILES_MAX) return []
    const overview = join(root, folder, 'README.md')
    if (!existsSync(overview)) return [`${folder} has no README.md`]
    const missing = notNamed(files.filter(isModule), readFileSync(overview, 'utf8'))
    return missing.map((file) => `${folder}/README.md does not name ${file}`)
  })
  assert.deepEqual(problems, [])
})

test('the overview of the capabilities names each of them', () => {
  const folder = join(root, 'packages/server/src/capabilities')
  const capabilities = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isDirectory())
  assert.ok(capabilities.length > 20, 'the capabilities were not found')
  const names = capabilities.map(({ name }) => `${name}/`)
  assert.deepEqual(notNamed(names, readFileSync(join(folder, 'README.md'), 'utf8')), [])
})

test('a planted fault is found: a module that the overview does not name', () => {
  const overview = 'Reading order: `saves.ts`.\n\n| `store.ts`, `*-routes.ts` | SQL and endpoints |'
  const files = ['saves.ts', 'store.ts', 'save-routes.ts', 'routes.ts', 'limits.ts']
  assert.deepEqual(notNamed(files, overview), ['routes.ts', 'limits.ts'])
})
