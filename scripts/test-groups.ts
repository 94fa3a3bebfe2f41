import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Most of their time goes into the loading of the server's modules, if each file is a process. */
const GROUPED = /^packages\/(server\/src\/(capabilities|edge)|contract\/src)\/(?!.*\.browser\.test\.ts$)/
/** In a shared process a hook of the top level would run for the tests of all files. */
const TOP_LEVEL_HOOK = /^(before|after)(Each)?\(|\blinksOfFile\b/m
const FILES_PER_PROCESS_MAX = 6

/** The files that `node --test` is to run, each in a process: a test file, or a module in `folder` that imports several. */
export function groupFiles(root: string, folder: string, files: readonly string[]): string[] {
  const canShare = (file: string) =>
    GROUPED.test(file) && !TOP_LEVEL_HOOK.test(readFileSync(join(root, file), 'utf8'))
  const { alone = [], shared = [] } = Object.groupBy(files, (file) => (canShare(file) ? 'shared' : 'alone'))

  const groups = Object.entries(Object.groupBy(shared, dirname)).flatMap(([path, group = []]) => {
    const parts = Math.ceil(group.length / FILES_PER_PROCESS_MAX)
    return Array.from({ length: parts }, (_, part) => {
      const module = join(folder, `${path.replaceAll('/', '-')}-${part + 1}.mjs`)
      const own = group.filter((_file, index) => index % parts === part)
      writeFileSync(module, own.map((file) => `import ${JSON.stringify(resolve(root, file))}\n`).join(''))
      return module
    })
  })
  return [...alone, ...groups]
}
