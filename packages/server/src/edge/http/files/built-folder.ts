import { existsSync } from 'node:fs'

import { type Folder, openFolder } from './folder.ts'

export type BuiltFolder = {
  /** The folder whose files are current; for what a page loads first. */
  upToDate(): Promise<Folder>
  /** The folder of the last page, for its scripts and styles: for them the sources are not checked. */
  latest(): Promise<Folder>
}

/** Packages contain the built files. In a checkout `build` makes them when they are first requested, and again when a source has changed. */
export function openBuiltFolder(built: string, build: () => Promise<string>): BuiltFolder {
  let current: { path: string; folder: Folder } | undefined
  let running: Promise<Folder> | undefined

  async function find(): Promise<Folder> {
    const path = existsSync(built) ? built : await build()
    if (current?.path !== path) current = { path, folder: openFolder(path) }
    return current.folder
  }

  const upToDate = () => (running ??= find().finally(() => (running = undefined)))
  return { upToDate, latest: async () => current?.folder ?? upToDate() }
}
