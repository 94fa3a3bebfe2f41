import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

type Kind = {
  name: string
  files: RegExp
  loadsService: boolean
  /** They wait much. As the last ones they would leave the processor idle. */
  isFirst: boolean
}

/** Files that may share a process. Loading the server's modules takes a second of CPU time, more than the tests of most files. */
const KINDS: Kind[] = [
  {
    name: 'server',
    files: /^packages\/server\/(src\/(capabilities|edge)\/|src\/[\w-]+\.test\.ts$|test\/[\w-]+\.test\.ts$)/,
    loadsService: true,
    isFirst: false,
  },
  { name: 'sdk', files: /^packages\/sdk\/test\//, loadsService: true, isFirst: false },
  {
    name: 'parts',
    files: /^packages\/(server\/src\/(engines|platform)|contract\/src)\//,
    loadsService: false,
    isFirst: true,
  },
]
/** These need the processor, a browser or the modules of a process for themselves. */
const ALONE =
  /browsers?\.test\.ts$|\/(guide|npm-start|one-owner|close-timeout|installed|bundle|process)\.test\.ts$/
/** It replaces the timers of the whole process. */
const REPLACES_TIMERS = /\blinksOfFile\b|^mock\.timers\b/m
/** At the top level of a shared process, such a hook would run for the tests of all files. */
const TOP_LEVEL_HOOK = /^(before|after)(Each)?\(/m
const FILES_PER_PROCESS_MAX = 9

const SERVICE = 'packages/server/src/testing/service.ts'

/** The files that `node --test` is to run, each in a process: a test file, or a module in `folder` that loads several. */
export function groupFiles(root: string, folder: string, files: readonly string[]): string[] {
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
  const kindOf = (file: string) =>
    ALONE.test(file) || REPLACES_TIMERS.test(textOf(file))
      ? undefined
      : KINDS.find((kind) => kind.files.test(file))

  /** A file with hooks gets a suite of its own. `require` loads it while the suite is declared, so that its hooks belong to the suite. */
  const lineOf = (file: string) => {
    const path = JSON.stringify(resolve(root, file))
    return TOP_LEVEL_HOOK.test(textOf(file))
      ? `describe(${JSON.stringify(file)}, () => void require(${path}))`
      : `import ${path}`
  }

  const groupsOf = (kind: Kind) => {
    const shared = files.filter((file) => kindOf(file) === kind)
    const parts = Math.ceil(shared.length / FILES_PER_PROCESS_MAX)
    return Array.from({ length: parts }, (_, part) => {
      const own = shared.filter((_file, index) => index % parts === part)
      const module = join(folder, `${kind.name}-${part + 1}.mjs`)
      const lines = [
        `import { createRequire } from 'node:module'`,
        `import { describe } from 'node:test'`,
        // Loaded here, its hook closes what the tests of any file left running.
        ...(kind.loadsService ? [`import ${JSON.stringify(resolve(root, SERVICE))}`] : []),
        `const require = createRequire(import.meta.url)`,
        ...own.map(lineOf),
      ]
      writeFileSync(module, `${lines.join('\n')}\n`)
      return module
    })
  }
  return [
    ...KINDS.filter(({ isFirst }) => isFirst).flatMap(groupsOf),
    ...files.filter((file) => !kindOf(file)),
    ...KINDS.filter(({ isFirst }) => !isFirst).flatMap(groupsOf),
  ]
}
