import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { relative } from 'node:path'
import { createInterface } from 'node:readline'

import { operatorSocketIn } from '../platform/operator-socket.ts'
import type { Output, Task } from './tasks.ts'

/** Enough for news with a long text. */
const TASK_BYTES_MAX = 1024 * 1024
const TASK_TIMEOUT_MS = 10_000
const CONNECTIONS_MAX = 16
/** The shortest limit of the systems we know (macOS: 104 with the zero at the end). */
const PATH_BYTES_MAX = 103

/** A line that the service sends to the command. */
type Line = { print: string } | { complain: string } | { exit: number }

type RunTask = (task: Task, output: Output) => Promise<number>

/**
 * Only one process may open a SQLite file. So the running service accepts operator commands through a socket in its data folder,
 * which only the user of the service may open. Returns a function that closes the socket. With PostgreSQL, nodes may share the folder:
 * the first one accepts the commands.
 */
export async function listenForTasks(dataDir: string, run: RunTask): Promise<() => Promise<void>> {
  const path = socketPath(dataDir)
  if (path === undefined || (await isTaken(path))) return async () => {}
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket.once('close', () => open.delete(socket)))
    void serve(socket, run)
  })
  server.maxConnections = CONNECTIONS_MAX
  // The socket of a service that was killed.
  rmSync(path, { force: true })
  await once(server.listen(path), 'listening')
  chmodSync(path, 0o600)
  server.on('error', () => {})
  server.unref()
  return async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await closed
  }
}

async function serve(socket: Socket, run: RunTask) {
  socket.on('error', () => socket.destroy())
  socket.setTimeout(TASK_TIMEOUT_MS, () => socket.destroy())
  const send = (line: Line) => {
    if (!socket.writable) throw new Error('the command has ended')
    socket.write(`${JSON.stringify(line)}\n`)
  }
  try {
    const text = await readTask(socket)
    // Another node has looked whether the socket is in use.
    if (text === '') return
    const task = JSON.parse(text) as Task
    socket.setTimeout(0)
    const exit = await run(task, {
      print: (line) => send({ print: line }),
      complain: (line) => send({ complain: line }),
    })
    send({ exit })
  } catch (error) {
    if (!socket.writable) return
    send({ complain: error instanceof Error ? error.message : String(error) })
    send({ exit: 1 })
  } finally {
    socket.end()
  }
}

/** Reads until the command ends its side; an iterator over the socket would also close our side. */
async function readTask(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > TASK_BYTES_MAX) socket.destroy(new Error('too large'))
  })
  await Promise.race([once(socket, 'end'), once(socket, 'close')])
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the exit code, or undefined if no service runs on this data folder. */
export async function askRunningService(
  dataDir: string,
  task: Task,
  { print, complain }: Output,
): Promise<number | undefined> {
  const path = socketPath(dataDir)
  const socket = path === undefined ? undefined : await connected(path)
  if (!socket) return undefined
  socket.end(JSON.stringify(task))

  for await (const text of createInterface({ input: socket })) {
    const line = JSON.parse(text) as Line
    if ('exit' in line) return line.exit
    if ('print' in line) print(line.print)
    else complain(line.complain)
  }
  complain('The service stopped before the command was done.')
  return 1
}

async function isTaken(path: string): Promise<boolean> {
  const socket = await connected(path)
  socket?.destroy()
  return socket !== undefined
}

async function connected(path: string): Promise<Socket | undefined> {
  const socket = connect(path)
  // A connection that breaks ends the lines that are read.
  socket.on('error', () => {})
  try {
    await once(socket, 'connect')
    return socket
  } catch {
    return undefined
  }
}

/** Absolute, or relative if that is too long for the operating system. Undefined if neither fits, and on Windows. */
function socketPath(dataDir: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const path = operatorSocketIn(dataDir)
  return [path, relative(process.cwd(), path)].find((one) => Buffer.byteLength(one) <= PATH_BYTES_MAX)
}
