import type { HttpClient } from './http-client/http-client.ts'

/** The process ended, or did not answer in time. */
export class ControlError extends Error {}

/** The process did not answer in time: the operation may go on. */
export class LateError extends ControlError {}

/** The worker answered with an error. */
export class OperationError extends Error {}

/** An answer has at most the rows of one query. */
const ANSWER_CHARACTERS_MAX = 32 * 1024 * 1024

/** Calls an operation of the control worker (`workers/control.ts`). */
export async function callControl<Result>(
  client: HttpClient,
  operation: string,
  input: object,
  timeoutMs: number,
): Promise<Result> {
  const { status, text } = await send(client, 'POST', operation, JSON.stringify(input), timeoutMs)
  const result = parsed<Result & { failed?: unknown }>(text)
  if (status !== 200) throw new OperationError(String(result.failed))
  return result
}

/** Rows of databases since the start of the process, and batches of queues that the code has. */
export type Counts = { rowsRead: number; rowsWritten: number; deliveries: number }

/** Resolves when the event loop of the process turns. */
export async function pingControl(client: HttpClient, timeoutMs = 60_000): Promise<Counts> {
  const { text } = await send(client, 'GET', 'ping', null, timeoutMs)
  const { rowsRead, rowsWritten, deliveries } = parsed<Counts>(text)
  if (![rowsRead, rowsWritten, deliveries].every(isCount)) throw new ControlError('no counts')
  return { rowsRead, rowsWritten, deliveries }
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

/** The process may have been taken over, so that anything can be in its answer. */
function parsed<Result>(text: string): Result {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Result
  } catch {
    // It is not JSON.
  }
  throw new ControlError('the answer is not valid')
}

function send(
  client: HttpClient,
  method: string,
  operation: string,
  body: string | null,
  timeoutMs: number,
): Promise<{ status: number; text: string }> {
  const request = { method, path: `/${operation}`, headers: ['host', 'svc'], body }
  return new Promise((resolve, reject) => {
    const end = (error: ControlError) => {
      clearTimeout(timer)
      cancel()
      reject(error)
    }
    const fail = (error: Error) => end(new ControlError(error.message, { cause: error }))
    const timer = setTimeout(() => end(new LateError('no answer in time')), timeoutMs)
    const cancel = client.send(request, {
      onResponse({ status, body: answer }) {
        const finish = () => {
          clearTimeout(timer)
          resolve({ status, text })
        }
        let text = ''
        if (Buffer.isBuffer(answer)) {
          text = answer.toString()
          return finish()
        }
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => {
          text += chunk
          if (text.length > ANSWER_CHARACTERS_MAX) fail(new Error('the answer is too long'))
        })
        answer.on('error', fail)
        answer.on('end', finish)
      },
      onError: fail,
    })
  })
}
