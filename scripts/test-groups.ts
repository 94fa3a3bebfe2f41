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
const ENGINES = [undefined, 'sqlite', 'postgres'] as const
type Engine = (typeof ENGINES)[number]

const SERVICE = 'packages/server/src/testing/service.ts'

/**
 * The files that `node --test` is to run, each in a process: a test file, or a module in `folder` that loads several. `engineOf`: the one
 * engine that a file runs on; undefined: both.
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

  const alone = (file: string) => {
    const engine = engineOf(file)
    if (engine === undefined) return file
    const module = join(folder, `${file.replaceAll('/', ' ')}.mjs`)
    writeFileSync(
      module,
      [...engineLines(engine), `import ${JSON.stringify(resolve(root, file))}`].join('\n'),
    )
    return module
  }

  const groupsOf = (kind: Kind) => ENGINES.flatMap((engine) => groupsOn(kind, engine))

  const groupsOn = (kind: Kind, engine: Engine) => {
    const shared = files.filter((file) => kindOf(file) === kind && engineOf(file) === engine)
    const parts = Math.ceil(shared.length / FILES_PER_PROCESS_MAX)
    return Array.from({ length: parts }, (_, part) => {
      const own = shared.filter((_file, index) => index % parts === part)
      const module = join(folder, `${[kind.name, engine, part + 1].filter(Boolean).join('-')}.mjs`)
      const lines = [
        ...engineLines(engine),
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
    ...files.filter((file) => !kindOf(file)).map(alone),
    ...KINDS.filter(({ isFirst }) => !isFirst).flatMap(groupsOf),
  ]
}
