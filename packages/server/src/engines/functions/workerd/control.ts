import type { Connections, Exchange } from './connections.ts'

/** The process ended, or did not answer in time. */
export class ControlError extends Error {}

/** The worker answered with an error. */
export class OperationError extends Error {}

/** Calls an operation of the control worker (`workers/control.js`). */
export async function callControl<Result>(
  connections: Connections,
  operation: string,
  input: object,
  timeoutMs: number,
): Promise<Result> {
  const { status, text } = await send(connections, 'POST', operation, JSON.stringify(input), timeoutMs)
  const result = JSON.parse(text) as Result & { failed?: string }
  if (status !== 200) throw new OperationError(result.failed)
  return result
}

/** Rows of databases since the start of the process, and batches of queues that the code has. */
export type Counts = { rowsRead: number; rowsWritten: number; deliveries: number }

/** Resolves when the event loop of the process turns. */
export async function pingControl(connections: Connections, timeoutMs = 60_000): Promise<Counts> {
  const { text } = await send(connections, 'GET', 'ping', '', timeoutMs)
  return JSON.parse(text) as Counts
}

function send(
  connections: Connections,
  method: string,
  operation: string,
  input: string,
  timeoutMs: number,
): Promise<{ status: number; text: string }> {
  const head = `${method} /${operation} HTTP/1.1\r\nhost: svc\r\ncontent-length: ${Buffer.byteLength(input)}\r\n\r\n`
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer)
      connection.cancel(exchange)
      reject(new ControlError(error.message, { cause: error }))
    }
    const timer = setTimeout(() => fail(new Error('no answer in time')), timeoutMs)
    const connection = connections.take()
    const exchange: Exchange = {
      method,
      onConnect: () => connection.write(head + input, 'utf8'),
      onResponse({ status, body }) {
        let text = ''
        body.setEncoding('utf8')
        body.on('data', (chunk: string) => (text += chunk))
        body.on('error', fail)
        body.on('end', () => {
          clearTimeout(timer)
          resolve({ status, text })
        })
      },
      onError: fail,
    }
    connection.begin(exchange)
  })
}
