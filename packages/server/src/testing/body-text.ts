import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** The body of an answer of functions, which is a buffer if it has arrived with its head. */
export const bodyText = async (body: Buffer | Readable): Promise<string> =>
  Buffer.isBuffer(body) ? body.toString() : text(body)
