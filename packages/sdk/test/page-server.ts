import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { SDK_FILES, sdkFiles } from '../../../scripts/build-sdk.ts'

/** A page on an origin of its own, with the files that hosting puts beside every app. */
export async function startPageServer(init: object, html: string, headers: Record<string, string> = {}) {
  const built = new Map(sdkFiles())
  const files = new Map<string, [type: string, body: string]>([
    ['/', ['text/html; charset=utf-8', html]],
    ['/.svc/init.json', ['application/json', JSON.stringify(init)]],
    ...Object.entries(SDK_FILES).map(([name, { file }]): [string, [string, string]] => [
      `/.svc/${name}`,
      ['text/javascript; charset=utf-8', built.get(file) ?? ''],
    ]),
  ])
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = files.get(new URL(url, 'http://page').pathname) ?? []
    if (type === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', ...headers }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    /** What it serves, by path. */
    files,
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
