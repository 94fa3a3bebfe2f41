import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'

type Whole = { text: string; randomText: string; mode?: number }

/** Whole or not at all: whatever stops it, and whoever writes at the same time, `path` holds what it held or all of the new. */
export async function writeAtomically(path: string, { text, randomText, mode }: Whole) {
  const found = await stat(path).catch(() => undefined)
  // A pipe or a terminal.
  if (found && !found.isFile()) return writeFile(path, text)

  const target = found ? await realpath(path) : path
  const draft = `${target}.${randomText}`
  try {
    await writeFile(draft, text, { flag: 'wx', ...(mode !== undefined && { mode }) })
    if (found) await chmod(draft, mode ?? found.mode)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw Object.assign(error as Error, { path })
  }
}
