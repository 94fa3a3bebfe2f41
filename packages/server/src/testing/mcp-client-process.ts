/**
 * MCP clients of both lines, in a process of their own without the condition `source`: a package that they use has TypeScript sources
 * under it, which Node does not run. Started by `mcp-clients.ts`.
 */
type Question = { mode?: string; url?: string; message: string }
type Client = {
  connect(transport: object): Promise<void>
  listTools(): Promise<unknown>
  callTool(call: object): Promise<unknown>
  close(): Promise<void>
  setRequestHandler(method: string, handle: (request: { params: Question }) => Promise<unknown>): void
}
type Lines = {
  Client: new (info: object, options?: object) => Client
  StreamableHTTPClientTransport: new (url: URL, options: object) => object
}
type Connect = {
  id: number
  op: 'connect'
  line: '2025' | '2026'
  url: string
  token: string
  canAsk: boolean
}
type Order =
  | Connect
  | { id: number; op: 'listTools' | 'close'; client: number }
  | { id: number; op: 'callTool'; client: number; call: object }
  | { answer: number; value: unknown }

// By a variable, so that the compiler does not read the sources of the packages.
const load = async (name: string) => (await import(name)) as Lines
const modern = await load('@modelcontextprotocol/client')
const { Client: OldClient } = await load('@modelcontextprotocol/sdk/client/index.js')
const { StreamableHTTPClientTransport: OldTransport } = await load(
  '@modelcontextprotocol/sdk/client/streamableHttp.js',
)

const clients = new Map<number, Client>()
const questions = new Map<number, (value: unknown) => void>()
let asked = 0

function ask(client: number, question: Question): Promise<unknown> {
  const id = ++asked
  const { promise, resolve } = Promise.withResolvers<unknown>()
  questions.set(id, resolve)
  process.send?.({ ask: id, client, question })
  return promise
}

async function connect({ id, line, url, token, canAsk }: Connect): Promise<number> {
  const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } }
  const info = { name: 'test', version: '1' }
  const client =
    line === '2025'
      ? new OldClient(info)
      : new modern.Client(info, {
          capabilities: canAsk ? { elicitation: { form: {}, url: {} } } : {},
          versionNegotiation: { mode: 'auto' },
        })
  if (canAsk) client.setRequestHandler('elicitation/create', ({ params }) => ask(id, params))
  const Transport = line === '2025' ? OldTransport : modern.StreamableHTTPClientTransport
  await client.connect(new Transport(new URL(url), options))
  clients.set(id, client)
  return id
}

async function obey(order: Exclude<Order, { answer: number }>): Promise<unknown> {
  if (order.op === 'connect') return connect(order)
  const client = clients.get(order.client)
  if (!client) throw new Error('no such client')
  if (order.op === 'callTool') return client.callTool(order.call)
  if (order.op === 'listTools') return client.listTools()
  clients.delete(order.client)
  return client.close()
}

process.on('message', (order: Order) => {
  if ('answer' in order) {
    questions.get(order.answer)?.(order.value)
    return
  }
  obey(order).then(
    (result) => process.send?.({ id: order.id, result: result ?? null }),
    (error: { message: string; code?: unknown }) =>
      process.send?.({ id: order.id, error: { message: error.message, code: error.code } }),
  )
})
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
