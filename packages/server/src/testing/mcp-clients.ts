import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export type ToolAnswer = {
  content: { type: string; text: string }[]
  isError?: boolean
  _meta?: Record<string, unknown>
}
export type McpClient = {
  listTools(): Promise<{ tools: { name: string; inputSchema: { required?: string[] } }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<ToolAnswer>
  close(): Promise<void>
}
/** What the user of the client answers. */
export type Answered = { action: 'accept' | 'decline'; content?: Record<string, unknown> }
export type AskUser = (question: { mode?: string; url?: string; message: string }) => Promise<Answered>

export const LINES = ['2025', '2026'] as const

/** A client of the 2025 or the 2026 line of MCP. Only that of 2026 can ask its user. */
export async function connectMcp(
  line: (typeof LINES)[number],
  origin: string,
  token: string,
  askUser?: AskUser,
): Promise<McpClient> {
  const url = new URL('/mcp', origin)
  const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } }
  const info = { name: 'test', version: '1' }
  if (line === '2025') {
    const client = new OldClient(info)
    await client.connect(new OldTransport(url, options) as never)
    return client as unknown as McpClient
  }
  const client = new Client(info, {
    capabilities: askUser ? { elicitation: { form: {}, url: {} } } : {},
    versionNegotiation: { mode: 'auto' },
  })
  if (askUser)
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }) => (await askUser(params as never)) as never,
    )
  await client.connect(new StreamableHTTPClientTransport(url, options) as never)
  return client as unknown as McpClient
}
