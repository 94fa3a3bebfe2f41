/**
 * A real MCP client of the line of 2025 or 2026 that starts `svc mcp` and makes calls, which it gets as JSON in its argument. A process of
 * its own without the condition `source`: a package that the clients use has TypeScript sources under it, which Node does not run.
 */
type Client = {
  connect(transport: object): Promise<void>
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: object): Promise<unknown>
  close(): Promise<void>
}
type Module = {
  Client: new (info: object, options?: object) => Client
  StdioClientTransport: new (options: object) => object
}
type Order = {
  line: '2025' | '2026'
  start: { command: string; args: string[]; env: Record<string, string>; cwd: string }
  calls: { name: string; arguments: object }[]
}

// By a variable, so that the compiler does not read the sources of the packages.
const load = async (name: string) => (await import(name)) as Module
const { line, start, calls } = JSON.parse(process.argv[2] ?? '') as Order
const info = { name: 'test', version: '1' }
const [client, transport] =
  line === '2025'
    ? [
        new (await load('@modelcontextprotocol/sdk/client/index.js')).Client(info),
        new (await load('@modelcontextprotocol/sdk/client/stdio.js')).StdioClientTransport(start),
      ]
    : [
        new (await load('@modelcontextprotocol/client')).Client(info, {
          versionNegotiation: { mode: 'auto' },
        }),
        new (await load('@modelcontextprotocol/client/stdio')).StdioClientTransport(start),
      ]
await client.connect(transport)
const { tools } = await client.listTools()
const answers = []
for (const call of calls)
  answers.push(
    await client.callTool(call).catch(({ code, message }: { code?: number; message: string }) => ({
      code,
      message,
    })),
  )
await client.close()
process.stdout.write(JSON.stringify({ tools: tools.map(({ name }) => name), answers }))
