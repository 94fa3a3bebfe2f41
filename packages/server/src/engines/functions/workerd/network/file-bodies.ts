import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'

import type { Blobs } from '../../../blobs/blobs.ts'
import { listenOn } from './sockets.ts'

export type BodyStore = Pick<Blobs, 'put' | 'open' | 'remove' | 'list'>

export const bodiesPrefix = (dataId: string) => `functions-files/${dataId}/`

/** The worker chooses these ids; anything else could be the key of another blob. */
const ID = /^\/([0-9a-f-]{36})$/

/** Bodies of files of one process: the worker of files stores and reads them through a private socket. */
export async function openFileBodies(
  path: string,
  dataId: string,
  blobs: BodyStore,
): Promise<{ close(): void }> {
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bodies')
    const [, id] = ID.exec(pathname) ?? []
    if (id === undefined) return response.writeHead(404).end()
    const key = bodiesPrefix(dataId) + id
    if (request.method === 'PUT') {
      await blobs.put(key, request)
      return response.writeHead(204).end()
    }
    if (request.method === 'DELETE') {
      await blobs.remove(key)
      return response.writeHead(204).end()
    }
    const range = { start: Number(searchParams.get('start')), end: Number(searchParams.get('end')) }
    const blob = await blobs.open(key, range)
    if (!blob) return response.writeHead(404).end()
    try {
      response.writeHead(200, { 'content-length': range.end - range.start + 1 })
      return await pipeline(blob.stream, response)
    } finally {
      // If the code has aborted the read by now, `pipeline` leaves the file open, and Node ends the process for such a file.
      blob.stream.destroy()
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else response.writeHead(503).end()
    })
  })
  server.requestTimeout = 0
  return listenOn(server, path)
}
