import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { openFiles } from '../engines/blobs/files.ts'
import { openWorkerd, type Tuning } from '../engines/functions/workerd/engine.ts'
import { systemClock } from '../platform/clock.ts'
import type { FunctionCode, FunctionsSpec, Running } from '../platform/ports/functions-engine.ts'
import { bodyText } from './body-text.ts'

type Options = Tuning & {
  processesMax?: number
  storageBytesMax?: number
  sandbox?: 'required' | 'preferred'
  folder?: string
}

/** A real engine on a temporary folder. */
export async function openTestFunctions({
  processesMax = 8,
  storageBytesMax = 1e9,
  sandbox = 'preferred',
  folder,
  ...tuning
}: Options = {}) {
  findOrInstall('bubblewrap')
  const root = folder ?? mkdtempSync(join(tmpdir(), 'svc-test-functions-'))
  // The account of the sandbox must be able to enter it.
  chmodSync(root, 0o711)
  const blobs = await openFiles(join(root, 'blobs'))
  const engine = openWorkerd(
    { folder: join(root, 'functions'), sandbox, processesMax, storageBytesMax },
    { clock: systemClock, log: () => {}, blobs },
    tuning,
  )
  return {
    engine,
    root,
    blobs,
    async close() {
      await engine.close()
      await blobs.close()
      if (!folder) rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Code of one module, with every default. */
export const codeOf = (script: string, rest: Partial<FunctionCode> = {}): FunctionCode => ({
  mainModule: 'main.js',
  modules: [{ name: 'main.js', type: 'esm', content: Buffer.from(script) }],
  bindings: [],
  vars: {},
  assets: null,
  compatibilityDate: '2026-11-04',
  ...rest,
})

export const specOf = (code: FunctionCode | null, rest: Partial<FunctionsSpec> = {}): FunctionsSpec => ({
  environmentId: 'environment',
  developerId: null,
  dataId: 'data',
  code,
  limits: { cpuMs: 1_000, subRequests: 50 },
  secrets: {},
  allowLoopback: true,
  onServiceCall: (_request, response) => response.writeHead(404).end(),
  ...rest,
})

let requests = 0

/** Sends a request and reads the whole answer. */
export async function get(
  running: Running,
  path: string,
  init: { method?: string; headers?: Record<string, string> } = {},
) {
  const { method = 'GET', headers = {} } = init
  const requestId = `request-${++requests}`
  const response = await running.fetch({
    method,
    path,
    headers: { host: 'app.localhost', ...headers },
    body: null,
    requestId,
  })
  return {
    status: response.status,
    headers: response.headers,
    text: await bodyText(response.body),
    requestId,
  }
}

/** Those of a WebSocket, as the gateway passes them on. */
const responseHeaders = (headers: IncomingHttpHeaders): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith('sec-websocket-') || name.startsWith('content-') ? [name, String(value)] : [],
  )

/** Opens a WebSocket to the code. */
export async function connectTo(t: TestContext, running: Running, path: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${await servePort(t, running)}${path}`)
  await once(socket, 'open')
  return socket
}

/** The port of a server that passes upgrades on to the code. */
export async function servePort(t: TestContext, running: Running): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  server.on('upgrade', ({ method = 'GET', url = '/', headers }, socket, head) => {
    const requestId = `request-${++requests}`
    void running.upgrade({ method, path: url, headers, requestId, responseHeaders }, socket, head)
  })
  return (server.address() as AddressInfo).port
}
