import { createHash, createHmac } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import type { StoredResource } from '../../../../platform/ports/functions-engine.ts'
import { DATA_FOLDERS, objectsKeyOf } from '../config/config.ts'
import { STORES, uniqueKeyOf } from '../config/own-workers.ts'
import { findDataFile, isStoreFile, storeFolder } from './data-files.ts'

/** More at the same time wake all threads of the pool, which take the CPU from the event loop. */
const READ_TOGETHER = 4

/** Bytes of one resource on the disk, and of the bodies of its files. */
export async function bytesOf(dataFolder: string, { type, id }: StoredResource): Promise<number> {
  if (type === 'durable_object') return folderBytes(join(dataFolder, DATA_FOLDERS.objects, objectsKeyOf(id)))
  const objectId = objectIdOf(uniqueKeyOf(STORES[type].className), id)
  const file = join(storeFolder(dataFolder, type), `${objectId}.sqlite`)
  const own = [file, `${file}-wal`].reduce((sum, path) => sum + (findDataFile(path)?.size ?? 0), 0)
  return own + (type === 'files' ? bodyBytes(file, IN_USE) : 0)
}

/** As workerd's `idFromName` computes it. */
export function objectIdOf(uniqueKey: string, name: string): string {
  const key = createHash('sha256').update(uniqueKey).digest()
  const hashed = (bytes: Buffer | string) => createHmac('sha256', key).update(bytes).digest().subarray(0, 16)
  const first = hashed(name)
  return Buffer.concat([first, hashed(first)]).toString('hex')
}

/** Also of the parts of uploads that are not complete. */
const IN_USE = ['files', 'parts']
/** Bodies of files that were replaced or deleted in the last hour: they are not charged, but they fill the disk. */
const ON_DISK = [...IN_USE, 'replaced']

function bodyBytes(file: string, tables: readonly string[]): number {
  if (!findDataFile(file)) return 0
  return tables.reduce((sum, table) => sum + sumOfSizes(file, table), 0)
}

/** 0 if the process has not created the table yet. */
function sumOfSizes(file: string, table: string): number {
  try {
    using database = new DatabaseSync(file, { readOnly: true })
    return Number(database.prepare(`SELECT coalesce(sum(size), 0) AS bytes FROM ${table}`).get()?.bytes ?? 0)
  } catch {
    return 0
  }
}

/** Bytes of all data of an environment. */
export async function storageBytes(dataFolder: string): Promise<number> {
  const buckets = storeFolder(dataFolder, 'files')
  const names = await readdir(buckets).catch(() => [])
  return names
    .filter(isStoreFile)
    .reduce((sum, name) => sum + bodyBytes(join(buckets, name), ON_DISK), await folderBytes(dataFolder))
}

/** Bytes of all files in a folder. There may be very many: only a few are read at the same time, so that the event loop is never late. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const pathOf = ({ name }: Dirent) => join(folder, name)
  let bytes = 0
  for (const entry of entries) if (entry.isDirectory()) bytes += await folderBytes(pathOf(entry))
  const files = entries.filter((entry) => entry.isFile())
  for (let at = 0; at < files.length; at += READ_TOGETHER) {
    const sizes = await Promise.all(files.slice(at, at + READ_TOGETHER).map((file) => sizeOf(pathOf(file))))
    bytes += sizes.reduce((sum, size) => sum + size, 0)
  }
  return bytes
}

/** 0 if the file is gone. */
const sizeOf = (path: string) =>
  lstat(path).then(
    ({ size }) => size,
    () => 0,
  )
