export type Request = {
  method?: 'GET' | 'PUT' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  status: number
}

/** Placeholder that is replaced by a different value in every request. */
export const UNIQUE = 'unique-0000000000000000'

/** The response that a bare server repeats. */
export type StoredResponse = { path: string; status: number; headers: Record<string, string>; body: string }

/** The request as sent on the wire. */
export const textOf = ({ method = 'GET', path, headers, body }: Request): string =>
  [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({ Host: '127.0.0.1', ...headers }).map(([n, v]) => `${n}: ${v}`),
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body ?? '',
  ].join('\r\n')

/** node:http adds these headers to every response. */
const ADDED_BY_NODE = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

export async function fetchStoredResponse(
  port: number,
  { path, headers, status }: Request,
): Promise<StoredResponse> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  const body = await response.text()
  if (response.status !== status) throw new Error(`GET ${path} answers ${response.status}: ${body}`)
  const ownHeaders = [...response.headers].filter(([name]) => !ADDED_BY_NODE.has(name))
  return { path, status, headers: Object.fromEntries(ownHeaders), body }
}
