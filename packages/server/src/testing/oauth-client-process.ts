/**
 * One MCP client that gets its tokens by OAuth, as the protocol's own package does it. In a process of its own, like those of
 * `mcp-client-process.ts`. Started by `test/agent-oauth.test.ts`.
 */
type Tokens = { access_token: string; refresh_token?: string }
type Client = {
  connect(transport: object): Promise<void>
  callTool(call: object): Promise<unknown>
}
type Transport = { finishAuth(callback: URLSearchParams): Promise<void> }
type Package = {
  Client: new (info: object, options?: object) => Client
  StreamableHTTPClientTransport: new (url: URL, options: object) => Transport
}
type Order =
  | { op: 'connect'; url: string; clientId: string; redirectUri: string }
  | { op: 'finish'; callback: string }
  | { op: 'callTool'; call: object }

// By a variable, so that the compiler does not read the sources of the package.
const name = '@modelcontextprotocol/client'
const { Client, StreamableHTTPClientTransport } = (await import(name)) as Package

let [url, clientId, redirectUri, verifier, opened] = ['', '', '', '', '']
let tokens: Tokens | undefined
const provider = {
  get redirectUrl() {
    return redirectUri
  },
  get clientMetadata() {
    return { client_name: 'test', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
  },
  state: () => 'state of the client',
  clientInformation: () => ({ client_id: clientId }),
  tokens: () => tokens,
  saveTokens: (saved: Tokens) => void (tokens = saved),
  redirectToAuthorization: (to: URL) => void (opened = to.href),
  saveCodeVerifier: (text: string) => void (verifier = text),
  codeVerifier: () => verifier,
  invalidateCredentials: () => void (tokens = undefined),
}
const newTransport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider })
let transport: Transport | undefined
let client: Client | undefined

async function connect(): Promise<void> {
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  transport = newTransport()
  await client.connect(transport)
}

async function obey(order: Order): Promise<unknown> {
  opened = ''
  switch (order.op) {
    case 'connect':
      ;({ url, clientId, redirectUri } = order)
      return connect()
    case 'finish':
      await transport?.finishAuth(new URL(order.callback).searchParams)
      return connect()
    case 'callTool':
      return client?.callTool(order.call)
  }
}

/** Every answer says which page the client wants to open, and its tokens. */
process.on('message', (order: Order) => {
  obey(order).then(
    (result) => process.send?.({ result: result ?? null, opened, tokens }),
    (error: Error) => process.send?.({ error: error.message, opened, tokens }),
  )
})
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
