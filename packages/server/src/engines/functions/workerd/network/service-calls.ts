import { createServer } from 'node:http'

import type { FunctionsSpec } from '../../../../platform/ports/functions-engine.ts'
import { refuse, stripped } from './request-mark.ts'
import { listenOn } from './sockets.ts'

/** `env.SVC` of one process: requests arrive on its own socket, so the environment is known without a key. */
export async function openServiceCalls(
  path: string,
  onServiceCall: FunctionsSpec['onServiceCall'],
  count: (requestId: string | undefined) => string | undefined,
): Promise<{ close(): void }> {
  const server = createServer((request, response) => {
    const { requestId, headers } = stripped(request)
    const overLimit = count(requestId)
    if (overLimit) {
      request.resume()
      return refuse(response, overLimit)
    }
    request.headers = headers
    onServiceCall(request, response)
  })
  return listenOn(server, path)
}
