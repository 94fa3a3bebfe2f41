import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'

type Content = { content: string | Buffer; randomText: string; mode?: number }

/** Writes atomically: after a crash or with a concurrent writer, `path` has the old or the new content, complete. */
export async function writeAtomically(path: string, { content, randomText, mode }: Content) {
  const found = await stat(path).catch(() => undefined)
  // A pipe or a terminal cannot be renamed over.
  if (found && !found.isFile()) return writeFile(path, content)

  const target = found ? await realpath(path) : path
  const draft = `${target}.${randomText}`
  try {
    await writeFile(draft, content, { flag: 'wx', ...(mode !== undefined && { mode }) })
    if (found) await chmod(draft, mode ?? found.mode)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw Object.assign(error as Error, { path })
  }
}
