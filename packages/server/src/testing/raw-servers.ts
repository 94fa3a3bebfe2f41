import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** A TCP server that does with each connection what the test says. Returns its address. */
export async function startRawServer(
  t: { after(end: () => void): void },
  accept: (socket: Socket) => void,
): Promise<string> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    accept(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Sends bytes and resolves with everything that comes back, when the other side closes or `until` is found in it. */
export async function exchange(to: NetConnectOpts, bytes: string, until?: RegExp): Promise<string> {
  const socket = connect(to)
  let text = ''
  const found = Promise.withResolvers<void>()
  socket.setEncoding('latin1')
  socket.on('data', (part: string) => {
    text += part
    if (until?.test(text)) found.resolve()
  })
  socket.on('error', () => found.resolve())
  socket.on('close', () => found.resolve())
  socket.write(bytes, 'latin1')
  await found.promise
  socket.destroy()
  return text
}
