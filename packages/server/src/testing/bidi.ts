import { once } from 'node:events'

import { WebSocket } from 'ws'

import { WAIT_MAX_MS } from './in-time.ts'

type Result = Record<string, unknown>
type Message =
  | { type: 'success'; id: number; result: Result }
  | { type: 'error'; id: number; error: string; message: string }
  | { type: 'event'; method: string; params: Result }

/** A connection to a browser that speaks WebDriver BiDi. */
export async function openBidi(url: string) {
  const socket = new WebSocket(url, { maxPayload: 64 * 1024 * 1024 })
  const pending = new Map<number, PromiseWithResolvers<Result>>()
  const listeners: [method: string, listener: (params: Result) => void][] = []
  let count = 0
  await once(socket, 'open', { signal: AbortSignal.timeout(WAIT_MAX_MS) })
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const { reject } of pending.values()) reject(new Error('the browser has closed the connection'))
    pending.clear()
  })
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    if (message.type === 'event') {
      for (const [method, listener] of listeners) if (method === message.method) listener(message.params)
      return
    }
    const waiting = pending.get(message.id)
    pending.delete(message.id)
    if (message.type === 'success') waiting?.resolve(message.result)
    else waiting?.reject(new Error(`${message.error}: ${message.message}`))
  })

  return {
    send(method: string, params: object): Promise<Result> {
      const id = ++count
      const answer = Promise.withResolvers<Result>()
      pending.set(id, answer)
      socket.send(JSON.stringify({ id, method, params }))
      return answer.promise
    },
    on: (method: string, listener: (params: Result) => void) => void listeners.push([method, listener]),
    close: () => socket.terminate(),
  }
}
