import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { removeInSteps } from '../remove-in-steps.ts'
import { newestFirst, type Place, readReport, type Report, timeIn } from './place.ts'

const PART = '.part'
const REPORT = '.json'
const CHUNK_BYTES = 1024 * 1024

/** Backups as files in a folder, each with a small JSON file with the report of its verification. */
export function openFolderPlace(folder: string): Place {
  const pathOf = (name: string) => join(folder, name)

  return {
    where: 'folder',

    async list() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => timeIn(name) !== undefined)
      const stored = await Promise.all(
        names.map(async (name) => {
          const file = await stat(pathOf(name)).catch(() => undefined)
          const text = await readFile(pathOf(name + REPORT), 'utf8').catch(() => '')
          return file && { name, createdAt: timeIn(name) ?? '', bytes: file.size, report: readReport(text) }
        }),
      )
      return stored.filter((one) => one !== undefined).toSorted(newestFirst)
    },

    draftOf: (name) => pathOf(name + PART),

    async write(name, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return writeFileDurably(pathOf(name), bytes)
    },

    async report(name: string, report: Report) {
      await rm(pathOf(name + REPORT), { force: true })
      await writeFileDurably(pathOf(name + REPORT), text(JSON.stringify(report)))
    },

    read(name) {
      const path = pathOf(name)
      if (!existsSync(path)) throw new Error(`${path} does not exist.`)
      return createReadStream(path, { highWaterMark: CHUNK_BYTES })
    },

    async remove(name) {
      await removeInSteps(pathOf(name))
      await rm(pathOf(name + REPORT), { force: true })
    },

    // Its path is in the staging folder of the process that wrote it.
    async removeIncomplete() {},
    async [Symbol.asyncDispose]() {},
  }
}

async function* text(content: string) {
  yield Buffer.from(content)
}

/** Writes a new file that is either complete and durable, or not there. Returns its size. */
export async function writeFileDurably(path: string, bytes: AsyncIterable<Buffer>): Promise<number> {
  if (existsSync(path)) throw new Error(`${path} already exists. Choose another name.`)
  const draft = path + PART
  await rm(draft, { force: true })
  let size = 0
  try {
    await using file = await open(draft, 'wx', 0o600)
    for await (const chunk of chunksOf(bytes)) {
      await file.appendFile(chunk)
      // Not once at the end: writes of the service would wait for all of it.
      await file.datasync()
      size += chunk.length
    }
    await file.sync()
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
  await using parent = await open(dirname(path))
  await parent.sync()
  return size
}

/** Collects small chunks, because each one written takes a system call. */
async function* chunksOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [held, size]: [Buffer[], number] = [[], 0]
  for await (const chunk of bytes) {
    held.push(chunk)
    size += chunk.length
    if (size < CHUNK_BYTES) continue
    yield Buffer.concat(held)
    ;[held, size] = [[], 0]
  }
  if (size > 0) yield Buffer.concat(held)
}
