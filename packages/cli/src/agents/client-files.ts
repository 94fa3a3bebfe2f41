import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { Failure } from '../output/failure.ts'
import { writeAtomically } from '../project/atomic-write.ts'

/** How a client starts `svc mcp`. */
export type StartCommand = { command: string; args: string[] }

type Client = { file: string; usedBy: string } & (
  | { format: 'json'; member: string; type?: 'stdio' }
  | { format: 'toml' }
)

/** The files in the folder of a project in which MCP clients look for servers. */
export const CLIENTS = {
  project: { file: '.mcp.json', usedBy: 'Claude Code and others', format: 'json', member: 'mcpServers' },
  cursor: { file: '.cursor/mcp.json', usedBy: 'Cursor', format: 'json', member: 'mcpServers' },
  vscode: {
    file: '.vscode/mcp.json',
    usedBy: 'Visual Studio Code',
    format: 'json',
    member: 'servers',
    type: 'stdio',
  },
  codex: { file: '.codex/config.toml', usedBy: 'Codex, in a trusted folder', format: 'toml' },
} as const satisfies Record<string, Client>

export type ClientName = keyof typeof CLIENTS

const NAME = 'svc'
const TOML_TABLE = `[mcp_servers.${NAME}]`

/** What the file of the client has to contain. It contains no token, so it can be committed. */
export function clientText(name: ClientName, start: StartCommand): string {
  const client: Client = CLIENTS[name]
  if (client.format === 'json') return json({ [client.member]: { [NAME]: entryOf(client, start) } })
  const { command, args } = start
  // Strings and lists of strings are written in TOML as in JSON.
  return `${TOML_TABLE}\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
}

/** Adds the server to the file of the client, or replaces it; other servers and settings stay. */
export async function writeClientFile(
  folder: string,
  name: ClientName,
  start: StartCommand,
  randomText: string,
): Promise<{ path: string; changed: boolean }> {
  const client: Client = CLIENTS[name]
  const path = join(folder, client.file)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const content =
    client.format === 'json'
      ? mergedJson(path, before, client, name, start)
      : mergedToml(path, before, name, start)
  if (content === before) return { path, changed: false }
  await mkdir(dirname(path), { recursive: true })
  await writeAtomically(path, { content, randomText })
  return { path, changed: true }
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const entryOf = ({ type }: { type?: 'stdio' }, start: StartCommand) => ({ ...(type && { type }), ...start })

function mergedJson(
  path: string,
  before: string,
  client: Client & { format: 'json' },
  name: ClientName,
  start: StartCommand,
): string {
  const document = before.trim() === '' ? {} : parsedObject(before)
  const servers = document?.[client.member] ?? {}
  if (!document || !isObject(servers)) throw byHand(path, 'is not a JSON object', name, start)
  return json({ ...document, [client.member]: { ...servers, [NAME]: entryOf(client, start) } })
}

/** TOML of others is not written again: comments and order stay, and a table that is there is not replaced. */
function mergedToml(path: string, before: string, name: ClientName, start: StartCommand): string {
  const text = clientText(name, start)
  if (before.includes(text)) return before
  if (/^\s*\[\s*mcp_servers\s*\.\s*"?svc"?\s*\]/m.test(before))
    throw byHand(path, `already has ${TOML_TABLE}`, name, start)
  return before.trim() === '' ? text : `${before.trimEnd()}\n\n${text}`
}

const byHand = (path: string, problem: string, name: ClientName, start: StartCommand) =>
  new Failure('failed', `${path} ${problem}. It was not changed.`, {
    fix: `Write this into it:\n${clientText(name, start)}`,
  })

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
