import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

type Kind = {
  name: string
  files: RegExp
  /** Modules of `packages/server/src/testing` whose hooks end what the tests of any file left running. */
  loaded: string[]
  /** The others wait much. Alone they would leave the processor idle, so these run beside them. */
  computes?: true
  /** More files save more starts. But those of a process run one after the other, so many that wait would take longer than all others. */
  filesPerProcessMax: number
}

/**
 * Files that may share a process: the first kind that fits. Loading the server's modules takes a second of CPU time, more than the tests
 * of most files.
 */
const KINDS: Kind[] = [
  {
    name: 'browser',
    files: /browsers?\.test\.ts$/,
    loaded: ['service', 'browser'],
    filesPerProcessMax: 8,
  },
  {
    name: 'programs',
    files: /^packages\/server\/test\/(faults|fuzz|realtime|websocket)\//,
    loaded: ['service'],
    filesPerProcessMax: 5,
  },
  {
    name: 'parts',
    files: /^packages\/(server\/src\/(engines|platform)|contract\/src|dashboard\/test)\/|^scripts\//,
    loaded: [],
    filesPerProcessMax: 15,
  },
  { name: 'cli', files: /^packages\/cli\/test\//, loaded: [], filesPerProcessMax: 8 },
  {
    name: 'server',
    files:
      /^packages\/server\/(src\/(app|capabilities|edge|operator)\/|src\/[\w-]+\.test\.ts$|test\/[\w-]+\.test\.ts$)/,
    loaded: ['service'],
    computes: true,
    filesPerProcessMax: 36,
  },
  {
    name: 'sdk',
    files: /^packages\/sdk\/test\//,
    loaded: ['service'],
    filesPerProcessMax: 36,
  },
]
/** These need the processor or the modules of a process for themselves. */
const ALONE =
  /\/(guide|bounded-statements|npm-start|one-owner|close-timeout|installed|bundle|process)\.test\.ts$/
/** These of them take long. */
const LONG = /\/(guide|installed)\.test\.ts$/
/** It replaces the timers of the whole process. */
const REPLACES_TIMERS = /\blinksOfFile\b|^mock\.timers\b/m
/** At the top level of a shared process, such a hook would run for the tests of all files. */
const TOP_LEVEL_HOOK = /^(before|after)(Each)?\(/m
const ENGINES = [undefined, 'sqlite', 'postgres'] as const
type Engine = (typeof ENGINES)[number]

const TESTING = 'packages/server/src/testing'

/**
 * The modules in `folder` that `node --test` is to run, each in a process: they load one test file or several. `engineOf`: the one
 * engine that a file runs on; undefined: both. Their names begin with their place in the list, because `node --test` sorts by name.
 */
export function groupFiles(
  root: string,
  folder: string,
  files: readonly string[],
  engineOf: (file: string) => Engine,
): string[] {
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

  /** A module of its own, because imports are evaluated before everything else. */
  const engineLines = (engine: Engine) =>
    engine === undefined
      ? []
      : [`import ${JSON.stringify(`data:text/javascript,process.env.TEST_ENGINE = '${engine}'`)}`]

  /** A process of one or several files. */
  type Group = { name: string; lines: string[] }

  const alone = (file: string): Group => ({
    name: file.replaceAll('/', ' '),
    lines: [...engineLines(engineOf(file)), `import ${JSON.stringify(resolve(root, file))}`],
  })

  const groupsOn = (kind: Kind, engine: Engine) => {
    const shared = files.filter((file) => kindOf(file) === kind && engineOf(file) === engine)
    const parts = Math.ceil(shared.length / kind.filesPerProcessMax)
    return Array.from({ length: parts }, (_, part): Group => {
      const own = shared.filter((_file, index) => index % parts === part)
      return {
        name: [kind.name, engine, part + 1].filter(Boolean).join('-'),
        lines: [
          ...engineLines(engine),
          `import { createRequire } from 'node:module'`,
          `import { describe } from 'node:test'`,
          ...kind.loaded.map((name) => `import ${JSON.stringify(resolve(root, TESTING, `${name}.ts`))}`),
          `const require = createRequire(import.meta.url)`,
          ...own.map(lineOf),
        ],
      }
    })
  }

  const kinds = [...KINDS.filter(({ computes }) => computes), ...KINDS.filter(({ computes }) => !computes)]
  const lists = kinds.flatMap((kind) => ENGINES.map((engine) => groupsOn(kind, engine)))
  const single = files.filter((file) => !kindOf(file))
  const groups = [
    // Those that wait and those that compute begin at the same time.
    ...oneOfEach([...lists, single.filter((file) => LONG.test(file)).map(alone)]),
    // The other single files are short, so that all processes end at about the same time.
    ...single.filter((file) => !LONG.test(file)).map(alone),
  ]
  return groups.map(({ name, lines }, place) => {
    const module = join(folder, `${String(place).padStart(3, '0')} ${name}.mjs`)
    writeFileSync(module, `${lines.join('\n')}\n`)
    return module
  })
}

/** The first of each list, then the second of each, and so on. */
const oneOfEach = <T>(lists: T[][]): T[] =>
  Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat()
