/** The configuration of an MCP client, such as the file `.mcp.json` of a project, for an agent with this token. */
export const clientConfig = (origin: string, token: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        svc: { type: 'http', url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } },
      },
    },
    null,
    2,
  )
