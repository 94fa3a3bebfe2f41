import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { type Folder, openFolder } from '../files/folder.ts'

export type DashboardFiles = {
  /** The folder whose files are current; for pages. */
  upToDate(): Promise<Folder>
  /** The folder of the last page, for its scripts and styles: for them the sources are not checked. */
  latest(): Promise<Folder>
}

/**
 * Packages and images contain the built app. In a checkout `buildFolder` builds it when its first page is requested, and again when
 * a source file has changed.
 */
export function openDashboard(packageFolder: string, buildFolder: () => Promise<string>): DashboardFiles {
  const built = join(packageFolder, 'built')
  let current: { path: string; folder: Folder } | undefined
  let running: Promise<Folder> | undefined

  async function find(): Promise<Folder> {
    const path = existsSync(built) ? built : await buildFolder()
    if (current?.path !== path) current = { path, folder: openFolder(path) }
    return current.folder
  }

  const upToDate = () => (running ??= find().finally(() => (running = undefined)))
  return { upToDate, latest: async () => current?.folder ?? upToDate() }
}
