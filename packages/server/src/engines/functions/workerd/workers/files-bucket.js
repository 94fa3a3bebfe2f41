// Names and metadata of files: one SQLite file per id. A file is a list of parts: one, or those of a multipart upload.
import { DurableObject } from 'cloudflare:workers'

import { holds } from './files-conditions.js'
import { endOfPrefix } from './sql-text.js'

export const FILE_BYTES_MAX = 100 * 1024 * 1024
/** A body that belongs to no file after this time was left by a process that ended in the middle of an upload. */
const LEFT_BEHIND_MS = 3_600_000
/** An upload that was not completed is aborted after this time, as R2 does by default. */
const UPLOAD_MS_MAX = 7 * 86_400_000

export class Bucket extends DurableObject {
  constructor(context, env) {
    super(context, env)
    this.sql = context.storage.sql
    this.sql.exec(`
      CREATE TABLE IF NOT EXISTS files (key TEXT PRIMARY KEY, size INTEGER, details TEXT) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS uploads (id TEXT PRIMARY KEY, key TEXT, details TEXT);
      CREATE TABLE IF NOT EXISTS parts
        (uploadId TEXT, number INTEGER, etag TEXT, bodyId TEXT, size INTEGER, PRIMARY KEY (uploadId, number));
      CREATE TABLE IF NOT EXISTS unused (bodyId TEXT PRIMARY KEY, since INTEGER)`)
  }

  find(key) {
    const row = this.sql.exec('SELECT details FROM files WHERE key = ?', key).toArray()[0]
    return row && JSON.parse(row.details)
  }

  /** Notes a body before it is uploaded, and returns the id of the body and those of bodies that can be removed. */
  reserve() {
    const bodyId = crypto.randomUUID()
    const now = Date.now()
    const leftBehind = this.sql.exec(
      'SELECT bodyId FROM unused WHERE since < ? LIMIT 100',
      now - LEFT_BEHIND_MS,
    )
    const removable = [...leftBehind].map((row) => row.bodyId)
    this.sql.exec('INSERT INTO unused VALUES (?, ?)', bodyId, now)
    return { bodyId, removable }
  }

  /** Returns the ids of the bodies that are no longer used, or `failed` with the file as it is. */
  put(file, onlyIf) {
    return this.ctx.storage.transactionSync(() => {
      const current = this.find(file.key)
      if (onlyIf && !holds(onlyIf, current)) return { failed: true, current }
      this.write(file)
      return { unused: this.release(current?.parts ?? []) }
    })
  }

  write(file) {
    this.sql.exec('INSERT OR REPLACE INTO files VALUES (?, ?, ?)', file.key, file.size, JSON.stringify(file))
    for (const { bodyId } of file.parts) this.sql.exec('DELETE FROM unused WHERE bodyId = ?', bodyId)
  }

  release(parts) {
    for (const { bodyId } of parts)
      this.sql.exec('INSERT OR REPLACE INTO unused VALUES (?, ?)', bodyId, Date.now())
    return parts.map(({ bodyId }) => bodyId)
  }

  removed(bodyIds) {
    for (const bodyId of bodyIds) this.sql.exec('DELETE FROM unused WHERE bodyId = ?', bodyId)
  }

  remove(keys) {
    return this.ctx.storage.transactionSync(() =>
      keys.flatMap((key) => {
        const current = this.find(key)
        this.sql.exec('DELETE FROM files WHERE key = ?', key)
        return this.release(current?.parts ?? [])
      }),
    )
  }

  list({ prefix = '', after = '', limit, delimiter }) {
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
        const group = row.key.slice(0, at + delimiter.length)
        prefixes.push(group)
        last = group + '\u{10ffff}'
      }
      from = last
      isExclusive = true
    }
    return { files, prefixes, isTruncated, last }
  }

  createUpload(key, details) {
    this.abortOld()
    const id = crypto.randomUUID()
    this.sql.exec('INSERT INTO uploads VALUES (?, ?, ?)', id, key, JSON.stringify(details))
    return id
  }

  upload(id, key) {
    const row = this.sql.exec('SELECT details FROM uploads WHERE id = ? AND key = ?', id, key).toArray()[0]
    return row && JSON.parse(row.details)
  }

  putPart(uploadId, key, number, part) {
    return this.ctx.storage.transactionSync(() => {
      if (!this.upload(uploadId, key)) return undefined
      const old = [
        ...this.sql.exec('SELECT bodyId FROM parts WHERE uploadId = ? AND number = ?', uploadId, number),
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
      return this.release(old)
    })
  }

  complete(uploadId, key, wanted, version) {
    return this.ctx.storage.transactionSync(() => {
      const details = this.upload(uploadId, key)
      if (!details) return { error: 'upload' }
      const all = [...this.sql.exec('SELECT * FROM parts WHERE uploadId = ?', uploadId)]
      const chosen = wanted
        .toSorted((a, b) => a.part - b.part)
        .map(({ part, etag }) => all.find((one) => one.number === part && one.etag === etag))
      if (chosen.length === 0 || chosen.includes(undefined)) return { error: 'part' }
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
      const unused = [...(this.find(key)?.parts ?? []), ...all.filter((part) => !chosen.includes(part))]
      this.forgetUpload(uploadId)
      this.write(file)
      return { file, unused: this.release(unused) }
    })
  }

  abort(uploadId, key) {
    return this.ctx.storage.transactionSync(() => {
      if (!this.upload(uploadId, key)) return []
      const parts = [...this.sql.exec('SELECT bodyId FROM parts WHERE uploadId = ?', uploadId)]
      this.forgetUpload(uploadId)
      return this.release(parts)
    })
  }

  abortOld() {
    const old = this.sql
      .exec(
        "SELECT id, key FROM uploads WHERE json_extract(details, '$.uploaded') < ? LIMIT 100",
        Date.now() - UPLOAD_MS_MAX,
      )
      .toArray()
    // Their bodies are removed with those that were left behind.
    for (const { id, key } of old) this.abort(id, key)
  }

  forgetUpload(id) {
    this.sql.exec('DELETE FROM uploads WHERE id = ?', id)
    this.sql.exec('DELETE FROM parts WHERE uploadId = ?', id)
  }
}
