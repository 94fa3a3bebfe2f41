import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export type ToolAnswer = {
  content: { type: string; text: string }[]
  isError?: boolean
  _meta?: Record<string, unknown>
}
type Tool = { name: string; inputSchema: { required?: string[]; properties?: object } }
export type McpClient = {
  listTools(): Promise<{ tools: Tool[] }>
  /** Rejects with an error that has the `code` of JSON-RPC. */
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<ToolAnswer>
  close(): Promise<unknown>
}
/** What the user of the client answers to a question. */
export type AskUser = (question: {
  mode?: string
  url?: string
  message: string
}) => Promise<{ action: 'accept' | 'decline'; content?: Record<string, unknown> }>

/** The lines of MCP clients. Only those of 2026 can ask their user. */
export const LINES = ['2025', '2026'] as const

type Message = {
  id?: number
  result?: unknown
  error?: { message: string; code?: number }
  ask?: number
  client?: number
  question?: Parameters<AskUser>[0]
}

/** The clients of a test, in one process. */
export async function startMcpClients() {
  // Without the arguments of this process, of which one is the condition `source`.
  const child = fork(join(import.meta.dirname, 'mcp-client-process.ts'), { execArgv: [] })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const users = new Map<number, AskUser>()
  let orders = 0
  const answer = async (ask: number, client: number, question: Parameters<AskUser>[0]) =>
    void child.send({ answer: ask, value: await users.get(client)?.(question) })
  child.on('message', (message: Message) => {
    const { id, result, error, ask, client, question } = message
    if (ask !== undefined && client !== undefined && question) return void answer(ask, client, question)
    const caller = waiting.get(id ?? 0)
    if (error) caller?.reject(Object.assign(new Error(error.message), { code: error.code }))
    else caller?.resolve(result)
  })
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the process of the clients has ended'))
  })
  await once(child, 'message')

  function order<T>(fields: object, id = ++orders): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.set(id, { resolve, reject })
    child.send({ id, ...fields })
    return promise as Promise<T>
  }

  return {
    async connect(
      line: (typeof LINES)[number],
      origin: string,
      token: string,
      askUser?: AskUser,
    ): Promise<McpClient> {
      const id = ++orders
      if (askUser) users.set(id, askUser)
      const url = `${origin}/mcp`
      const client = await order<number>(
        { op: 'connect', line, url, token, canAsk: askUser !== undefined },
        id,
      )
      return {
        listTools: () => order({ op: 'listTools', client }),
        callTool: (call) => order({ op: 'callTool', client, call }),
        close: () => order({ op: 'close', client }),
      }
    },

    async stop() {
      child.disconnect()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
