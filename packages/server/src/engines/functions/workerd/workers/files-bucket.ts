// Names and metadata of files: one SQLite file per id. A file is a list of parts: one, or those of a multipart upload.
import { DurableObject } from 'cloudflare:workers'

import { type Condition, holds } from './files-conditions.ts'
import type { Objects, ObjectState, Service, Sql } from './runtime.ts'
import { endOfPrefix } from './sql-text.ts'

type Part = { bodyId: string; size: number }
export type Env = { BUCKET: Objects<Bucket>; BODIES: Service; IS_FULL: boolean }
type Columns = Part & {
  details: string
  since: number
  bytes: number
  bodies: number
  key: string
  id: string
  number: number
  etag: string
}
export type Details = { uploaded: number; http: object; custom: { k: string; v: string }[] }
export type File = Details & {
  key: string
  size: number
  version: string
  etag: string
  checksums: Record<string, string | undefined>
  parts: Part[]
}

export const FILE_BYTES_MAX = 100 * 1024 * 1024
/** A body that belongs to no file after this time was left by a process that ended in the middle of an upload. */
const LEFT_BEHIND_MS = 3_600_000
/**
 * Bodies of replaced and deleted files are kept for this time, because a backup copies the names first and the bodies later; fewer
 * if they are large or many. `replaced` contains them.
 */
const KEPT_MS = 3_600_000
const KEPT_BYTES_MAX = 256 * 1024 * 1024
const KEPT_BODIES_MAX = 10_000
const SWEPT_AT_ONCE_MAX = 100
/** When the blob store could not remove a body. */
const RETRY_MS = 60_000
/** An upload that was not completed is aborted after this time, as R2 does by default. */
const UPLOAD_MS_MAX = 7 * 86_400_000

/** Returns the ids of those that could be removed. */
export async function removeBodies(env: Env, bodyIds: readonly string[]) {
  const removed = []
  for (const bodyId of bodyIds) {
    const response = await env.BODIES.fetch(`http://bodies/${bodyId}`, { method: 'DELETE' })
    await response.arrayBuffer()
    if (response.ok) removed.push(bodyId)
  }
  return removed
}

/** One bucket: which files it has and which bodies they consist of. */
export class Bucket extends DurableObject<Env, Columns> {
  readonly sql: Sql<Columns>
  keptBytes = 0
  keptBodies = 0
  isSweepScheduled = false

  constructor(context: ObjectState<Columns>, env: Env) {
    super(context, env)
    this.sql = context.storage.sql
    this.sql.exec(`
      CREATE TABLE IF NOT EXISTS files (key TEXT PRIMARY KEY, size INTEGER, details TEXT) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS uploads (id TEXT PRIMARY KEY, key TEXT, details TEXT);
      CREATE TABLE IF NOT EXISTS parts
        (uploadId TEXT, number INTEGER, etag TEXT, bodyId TEXT, size INTEGER, PRIMARY KEY (uploadId, number));
      CREATE TABLE IF NOT EXISTS unused (bodyId TEXT PRIMARY KEY, since INTEGER);
      CREATE TABLE IF NOT EXISTS replaced (bodyId TEXT PRIMARY KEY, since INTEGER, size INTEGER);
      CREATE INDEX IF NOT EXISTS replaced_since ON replaced (since)`)
    this.countKept()
  }

  find(key: string): File | undefined {
    const row = this.sql.exec('SELECT details FROM files WHERE key = ?', key).toArray()[0]
    return row && JSON.parse(row.details)
  }

  /** Notes a body before it is uploaded, and returns the id of the body and those of bodies that can be removed. */
  reserve() {
    const bodyId = crypto.randomUUID()
    const now = Date.now()
    const leftBehind = this.sql.exec(
      'SELECT bodyId FROM unused WHERE since < ? LIMIT ?',
      now - LEFT_BEHIND_MS,
      SWEPT_AT_ONCE_MAX,
    )
    const removable = [...leftBehind].map((row) => row.bodyId)
    this.sql.exec('INSERT INTO unused VALUES (?, ?)', bodyId, now)
    return { bodyId, removable }
  }

  /** Returns the ids of bodies to remove, or `failed` with the file as it is. */
  put(file: File, onlyIf: Condition | undefined) {
    return this.releasing((release) => {
      const current = this.find(file.key)
      if (onlyIf && !holds(onlyIf, current)) return { failed: true, current }
      this.write(file)
      release(current?.parts ?? [])
      return {}
    })
  }

  write(file: File) {
    this.sql.exec('INSERT OR REPLACE INTO files VALUES (?, ?, ?)', file.key, file.size, JSON.stringify(file))
    for (const { bodyId } of file.parts) this.sql.exec('DELETE FROM unused WHERE bodyId = ?', bodyId)
  }

  /** Runs a change that releases bodies; its result gets `unused`, the ids of those to remove now. */
  async releasing<Result extends object | void>(
    change: (release: (parts: readonly Part[]) => void) => Result,
  ) {
    const result = this.ctx.storage.transactionSync(() =>
      change((parts) => {
        for (const { bodyId, size } of parts) {
          this.sql.exec('INSERT OR REPLACE INTO replaced VALUES (?, ?, ?)', bodyId, Date.now(), size)
          this.keptBytes += size
          this.keptBodies += 1
        }
      }),
    )
    await this.scheduleSweep()
    return { ...result, unused: this.overLimit() }
  }

  countKept() {
    const { bytes, bodies } = this.sql
      .exec('SELECT coalesce(sum(size), 0) AS bytes, count(*) AS bodies FROM replaced')
      .one()
    this.keptBytes = bytes
    this.keptBodies = bodies
  }

  /** The oldest of the kept bodies, if they are too many. None is kept while the storage is full. */
  overLimit() {
    const [bytesMax, bodiesMax] = this.env.IS_FULL ? [0, 0] : [KEPT_BYTES_MAX, KEPT_BODIES_MAX]
    if (this.keptBytes <= bytesMax && this.keptBodies <= bodiesMax) return []
    const bodyIds = []
    let [bytes, bodies] = [this.keptBytes, this.keptBodies]
    for (const { bodyId, size } of this.sql.exec('SELECT bodyId, size FROM replaced ORDER BY since')) {
      if (bytes <= bytesMax && bodies <= bodiesMax) break
      bodyIds.push(bodyId)
      bytes -= size
      bodies -= 1
    }
    return bodyIds
  }

  async scheduleSweep() {
    if (this.isSweepScheduled || this.keptBodies === 0) return
    this.isSweepScheduled = true
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + KEPT_MS)
  }

  /** Removes the bodies that were kept long enough. */
  async alarm() {
    const old = this.sql
      .exec(
        'SELECT bodyId FROM replaced WHERE since <= ? ORDER BY since LIMIT ?',
        Date.now() - KEPT_MS,
        SWEPT_AT_ONCE_MAX,
      )
      .toArray()
    const removed = await removeBodies(
      this.env,
      old.map(({ bodyId }) => bodyId),
    )
    this.removed(removed)
    const waitMs = removed.length === old.length ? 1_000 : RETRY_MS
    const [next] = this.sql.exec('SELECT since FROM replaced ORDER BY since LIMIT 1').toArray()
    this.isSweepScheduled = next !== undefined
    if (next) await this.ctx.storage.setAlarm(Math.max(Date.now() + waitMs, next.since + KEPT_MS))
  }

  removed(bodyIds: readonly string[]) {
    for (const bodyId of bodyIds) {
      this.sql.exec('DELETE FROM unused WHERE bodyId = ?', bodyId)
      this.sql.exec('DELETE FROM replaced WHERE bodyId = ?', bodyId)
    }
    this.countKept()
  }

  remove(keys: readonly string[]) {
    return this.releasing((release) => {
      for (const key of keys) {
        const current = this.find(key)
        this.sql.exec('DELETE FROM files WHERE key = ?', key)
        release(current?.parts ?? [])
      }
    })
  }

  list({
    prefix = '',
    after = '',
    limit,
    delimiter,
  }: {
    prefix?: string
    after?: string
    limit: number
    delimiter?: string
  }) {
    const files = []
    const prefixes = []
    let last = ''
    let isTruncated = false
    const end = endOfPrefix(prefix)
    // A delimited group is one entry: continue after it, instead of reading all that is in it.
    for (let from = after > prefix ? after : prefix, isExclusive = after >= prefix && after !== ''; ;) {
      const row = this.sql
        .exec(
          `SELECT key, details FROM files
           WHERE key ${isExclusive ? '>' : '>='} ? ${end === undefined ? '' : 'AND key < ?'} ORDER BY key LIMIT 1`,
          from,
          ...(end === undefined ? [] : [end]),
        )
        .toArray()[0]
      if (!row) break
      if (files.length + prefixes.length === limit) {
        isTruncated = true
        break
      }
      const at = delimiter ? row.key.indexOf(delimiter, prefix.length) : -1
      if (at < 0) {
        files.push(JSON.parse(row.details))
        last = row.key
      } else {
        const group = row.key.slice(0, at + (delimiter?.length ?? 0))
        prefixes.push(group)
        last = group + '\u{10ffff}'
      }
      from = last
      isExclusive = true
    }
    return { files, prefixes, isTruncated, last }
  }

  async createUpload(key: string, details: Details) {
    await this.abortOld()
    const id = crypto.randomUUID()
    this.sql.exec('INSERT INTO uploads VALUES (?, ?, ?)', id, key, JSON.stringify(details))
    return id
  }

  upload(id: string, key: string): Details | undefined {
    const row = this.sql.exec('SELECT details FROM uploads WHERE id = ? AND key = ?', id, key).toArray()[0]
    return row && JSON.parse(row.details)
  }

  putPart(uploadId: string, key: string, number: number, part: Part & { etag: string }) {
    return this.releasing((release) => {
      if (!this.upload(uploadId, key)) return { failed: true }
      const old = [
        ...this.sql.exec(
          'SELECT bodyId, size FROM parts WHERE uploadId = ? AND number = ?',
          uploadId,
          number,
        ),
      ]
      this.sql.exec(
        'INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?)',
        uploadId,
        number,
        part.etag,
        part.bodyId,
        part.size,
      )
      this.sql.exec('DELETE FROM unused WHERE bodyId = ?', part.bodyId)
      release(old)
      return {}
    })
  }

  complete(
    uploadId: string,
    key: string,
    chosenParts: readonly { part: number; etag: string }[],
    version: string,
  ) {
    return this.releasing((release) => {
      const details = this.upload(uploadId, key)
      if (!details) return { error: 'upload' }
      const all = [...this.sql.exec('SELECT * FROM parts WHERE uploadId = ?', uploadId)]
      const found = chosenParts
        .toSorted((a, b) => a.part - b.part)
        .map(({ part, etag }) => all.find((one) => one.number === part && one.etag === etag))
      const chosen = found.filter((part) => part !== undefined)
      if (chosen.length === 0 || chosen.length < found.length) return { error: 'part' }
      const size = chosen.reduce((sum, part) => sum + part.size, 0)
      if (size > FILE_BYTES_MAX) return { error: 'size' }

      const parts = chosen.map(({ bodyId, size: partSize }) => ({ bodyId, size: partSize }))
      const file = {
        ...details,
        key,
        size,
        parts,
        version,
        etag: `${version}-${parts.length}`,
        checksums: {},
      }
      release([...(this.find(key)?.parts ?? []), ...all.filter((part) => !chosen.includes(part))])
      this.forgetUpload(uploadId)
      this.write(file)
      return { file }
    })
  }

  abort(uploadId: string, key: string) {
    return this.releasing((release) => {
      if (!this.upload(uploadId, key)) return
      release([...this.sql.exec('SELECT bodyId, size FROM parts WHERE uploadId = ?', uploadId)])
      this.forgetUpload(uploadId)
    })
  }

  async abortOld() {
    const old = this.sql
      .exec(
        "SELECT id, key FROM uploads WHERE json_extract(details, '$.uploaded') < ? LIMIT 100",
        Date.now() - UPLOAD_MS_MAX,
      )
      .toArray()
    // Their bodies are removed with the others that are kept.
    for (const { id, key } of old) await this.abort(id, key)
  }

  forgetUpload(id: string) {
    this.sql.exec('DELETE FROM uploads WHERE id = ?', id)
    this.sql.exec('DELETE FROM parts WHERE uploadId = ?', id)
  }
}
