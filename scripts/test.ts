import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'

import { OTHER_TURN } from '../packages/server/src/testing/runs.ts'
import { currentPackages } from './build/current-packages.js'
import { currentServer } from './build/current-server.js'
import { memoryFolder } from './memory-folder.ts'
import { killTree } from './process-tree.ts'
import { findOrInstall } from './programs.ts'
import { startServices } from './services.ts'
import { createTemplateDatabase, createTemplateFile } from './template-database.ts'
import { currentCommit, engineOf } from './test-engines.ts'
import { groupFiles } from './test-groups.ts'
import { mostExpensive } from './test-times.ts'
import { isTurnOfFile } from './test-turns.ts'

/**
 * npm test [-- <files or patterns> <flags of node --test, written --flag=value>]
 *
 *     npm test -- packages/server/src/engines/bus/*.test.ts --test-name-pattern=restart
 *
 *     npm test -- --engines=both
 *
 * Every test runs on a real PostgreSQL and a real Redis, started here unless TEST_POSTGRES_URL and TEST_REDIS_URL name others.
 */
const EVERY_TEST = ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'scripts/**/*.test.ts']
/** Two more than there are cores: a test often waits, for a database or for a time to pass. Four more are not faster. */
const PROCESSES = availableParallelism() + 2
/**
 * Beside all other tests two cores are too slow for browsers that play sound and for programs that must take over from each other in
 * time. They run afterwards: the files of each list one by one, the two lists at the same time.
 */
const IN_REAL_TIME = [
  /\/(voice[\w-]*|lobby-chat)\.browser\.test\.ts$/,
  /\/(faults\/functions|realtime\/matches|firefox\.browser)\.test\.ts$/,
]

const root = resolve(import.meta.dirname, '..')
const BOTH_ENGINES = '--engines=both'
const input = process.argv.slice(2)
const flags = input.filter((argument) => argument.startsWith('-') && argument !== BOTH_ENGINES)
const wanted = input.filter((argument) => !argument.startsWith('-'))
const patterns = wanted.length > 0 ? wanted : EVERY_TEST
const found = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted()
if (found.length === 0) throw new Error(`no test file is called ${patterns.join(' or ')}`)

const commit = currentCommit(root)
const takesBoth = wanted.length > 0 || input.includes(BOTH_ENGINES)
const engineOfFile = (file: string) => (takesBoth ? undefined : engineOf(file, commit))
const files = found.filter((file) => takesBoth || isTurnOfFile(file, commit))
const leftOut = found.filter((file) => !files.includes(file))

// Before any test: two tests that install or build at the same moment are in each other's way.
if (wanted.length === 0) {
  findOrInstall(
    'postgres',
    'redis',
    'pgbouncer',
    'coturn',
    'chromium',
    'firefox',
    'webkit',
    'xvfb',
    'bubblewrap',
    'caddy',
    'systemd',
    'compose',
  )
  currentServer(process.execPath)
  await currentPackages()
}
const { TEST_POSTGRES_URL, TEST_REDIS_URL } = process.env
const services = TEST_POSTGRES_URL && TEST_REDIS_URL ? undefined : await startServices({ sync: false })
const postgresUrl = TEST_POSTGRES_URL ?? services?.postgresUrl ?? ''
const template = await createTemplateDatabase(postgresUrl)
const folder = mkdtempSync(join(memoryFolder(), 'svc-tests-'))
/** Ends the tests that are running, with their browsers and programs. */
const running = new Set<() => void>()

// The servers end in the same way: `services.ts` has its own listeners.
process.on('exit', () => {
  for (const end of running) end()
  rmSync(folder, { recursive: true, force: true })
})
for (const [signal, code] of [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => process.exit(code))

const environment = {
  ...process.env,
  // Without the cache each process strips and compiles some 300 modules again.
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? resolve(root, 'node_modules/.cache/compile'),
  TEST_POSTGRES_URL: postgresUrl,
  TEST_POSTGRES_TEMPLATE: template.name,
  TEST_SQLITE_TEMPLATE: await createTemplateFile(join(folder, 'template')),
  TEST_DATA_FOLDER: folder,
  TEST_TIMES: process.env['TEST_TIMES'] ?? join(folder, 'times'),
  // For what takes turns (`inTurn`).
  ...(!takesBoth && { TEST_COMMIT: commit }),
  TEST_REDIS_URL: TEST_REDIS_URL ?? services?.redisUrl,
  // Tests cannot ask whether a package may be installed.
  ...(process.stdin.isTTY && { TEST_TERMINAL: '1' }),
}

/** A module whose tests are the files that are left out, each skipped with its reason. */
function moduleOfLeftOut(): string[] {
  if (leftOut.length === 0) return []
  const module = join(folder, 'left out.mjs')
  const lines = leftOut.map(
    (file) => `test(${JSON.stringify(file)}, { skip: '${OTHER_TURN}: npm test -- ${file} runs it' })`,
  )
  writeFileSync(module, [`import { test } from 'node:test'`, ...lines].join('\n'))
  return [module]
}

/** Resolves with whether all of them have passed. */
async function runTests(own: readonly string[], processes: number, modules: string[] = []): Promise<boolean> {
  if (own.length === 0) return true
  const tests = spawn(
    process.execPath,
    [
      '--conditions=source',
      // Of `stripTypeScriptTypes`.
      '--disable-warning=ExperimentalWarning',
      `--import=${resolve(import.meta.dirname, 'test-setup.ts')}`,
      '--test',
      '--test-timeout=180000',
      `--test-concurrency=${processes}`,
      ...flags,
      ...groupFiles(root, mkdtempSync(join(folder, 'groups-')), own, engineOfFile),
      ...modules,
    ],
    // In a group of its own, Ctrl-C in a terminal does not end it before everything that the tests have started is found.
    { cwd: root, stdio: 'inherit', env: environment, detached: true },
  )
  const end = () => killTree(tests.pid ?? 0)
  running.add(end)
  const [code] = await once(tests, 'close')
  running.delete(end)
  return code === 0
}

const inRealTime = IN_REAL_TIME.map((list) => files.filter((file) => list.test(file)))
const others = files.filter((file) => !inRealTime.flat().includes(file))
const results = [
  await runTests(others, PROCESSES, moduleOfLeftOut()),
  ...(await Promise.all(inRealTime.map((list) => runTests(list, 1)))),
]
console.log(mostExpensive(environment.TEST_TIMES))
await template.remove()
await services?.stop()
process.exit(results.every(Boolean) ? 0 : 1)
