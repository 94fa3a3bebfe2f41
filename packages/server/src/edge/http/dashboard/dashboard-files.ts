import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { type Folder, openFolder } from '../files/folder.ts'

/** The folder whose files are current. */
export type CurrentFolder = () => Promise<Folder>

const PACKAGE = join(import.meta.dirname, '../../../../../dashboard')

/**
 * Packages and images carry the app built. In a checkout it is built when its first page is requested, and again when a source has
 * changed; only then is the builder loaded.
 */
export function openDashboard(packageFolder = PACKAGE): CurrentFolder {
  const built = join(packageFolder, 'built')
  let current: { path: string; folder: Folder } | undefined
  let running: Promise<Folder> | undefined

  function folderAt(path: string): Folder {
    if (current?.path !== path) current = { path, folder: openFolder(path) }
    return current.folder
  }

  async function find(): Promise<Folder> {
    if (existsSync(built)) return folderAt(built)
    const { upToDateFolder } = await import('@svc/dashboard/build')
    return folderAt(await upToDateFolder())
  }

  return () => (running ??= find().finally(() => (running = undefined)))
}
