import type { Agent } from 'node:http'

import { request as httpRequest } from '../../../platform/node-http.ts'

/** The process ended, or did not answer in time. */
export class ControlError extends Error {}

/** The worker answered with an error. */
export class OperationError extends Error {}

/** Calls an operation of the control worker (`workers/control.js`). */
export async function callControl<Result>(
  { socketPath, agent }: { socketPath: string; agent: Agent },
  operation: string,
  input: object,
  timeoutMs: number,
): Promise<Result> {
  const { status, text } = await send(
    { socketPath, agent, path: `/${operation}`, timeoutMs },
    JSON.stringify(input),
  )
  const result = JSON.parse(text) as Result & { failed?: string }
  if (status !== 200) throw new OperationError(result.failed)
  return result
}

/** Resolves when the event loop of the process turns. */
export const pingControl = (socketPath: string, agent: Agent) =>
  send({ socketPath, agent, path: '/ping', timeoutMs: 60_000 })

type Call = { socketPath: string; agent: Agent; path: string; timeoutMs: number }

function send(call: Call, body?: string): Promise<{ status: number; text: string }> {
  const { timeoutMs, ...options } = call
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new ControlError(error.message, { cause: error }))
    const timer = setTimeout(() => request.destroy(new Error('no answer in time')), timeoutMs)
    const request = httpRequest({ ...options, method: body === undefined ? 'GET' : 'POST' }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', fail)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    request.on('error', fail)
    request.on('close', () => {
      clearTimeout(timer)
      fail(new Error('the connection was closed'))
    })
    request.end(body)
  })
}
