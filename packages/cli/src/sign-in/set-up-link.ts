import { once } from 'node:events'
import { lstatSync } from 'node:fs'
import { connect } from 'node:net'
import { relative } from 'node:path'
import { text } from 'node:stream/consumers'

import { sameService } from '../service/address.ts'

const TIMEOUT_MS = 10_000
/** The shortest limit of the systems we know. */
const PATH_BYTES_MAX = 103

/**
 * The token of a set-up link from the socket of a service on this machine, which only its user may open. Undefined if this is another
 * user or machine. The service at the URL names the socket; a link of another service is not used, because that URL would get its token.
 */
export async function readSetUpToken(url: string, socketPath: string): Promise<string | undefined> {
  const path = [socketPath, relative(process.cwd(), socketPath)].find(
    (one) => Buffer.byteLength(one) <= PATH_BYTES_MAX,
  )
  if (path === undefined || !isOwnSocket(path)) return undefined
  const lines = await ask(path, { name: 'developers setup' }).catch(() => '')
  const link = /"print":"([^"]+)"/.exec(lines)?.[1] ?? ''
  if (!URL.canParse(link) || sameService(new URL(link).origin) !== sameService(url)) return undefined
  return /#setup=([\w-]+)$/.exec(link)?.[1]
}

function isOwnSocket(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSocket() === true && found.uid === process.getuid?.()
}

async function ask(path: string, task: object): Promise<string> {
  const socket = connect(path)
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy())
  await once(socket, 'connect')
  socket.end(JSON.stringify(task))
  return text(socket)
}
