export type Header = [name: string, value: string]

export type Request = {
  kind: 'valid' | 'near-valid' | 'hostile'
  /** The name of the endpoint, or the path of a page. */
  target: string
  method: string
  /** The path segments as in the contract, and their actual values. */
  pattern: string[]
  path: string[]
  query: string
  headers: Header[]
  body: Buffer | undefined
  /** Whether the endpoint of the contract still applies: a changed method or path may belong to another endpoint or to none. */
  atAddress: boolean
  /** Replaces the path and query. */
  rawTarget?: string
  version?: string
  withoutHost?: true
  /** The declared length does not match, so the server may wait for more bytes. */
  incomplete?: true
}

export const addressOf = ({ rawTarget, path, query }: Request): string =>
  rawTarget ?? `/${path.join('/')}${query && `?${query}`}`

export function bytesOf(request: Request): Buffer {
  const { method, headers, body, version = 'HTTP/1.1', withoutHost } = request
  const declaresLength = headers.some(([name]) => name === 'Content-Length' || name === 'Transfer-Encoding')
  const lines = [
    `${method} ${addressOf(request)} ${version}`,
    ...(withoutHost ? [] : ['Host: 127.0.0.1']),
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body && !declaresLength ? [`Content-Length: ${body.length}`] : []),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body ?? Buffer.alloc(0)])
}

/** A description of the request for the report. */
export function describe(request: Request): string {
  const { kind, method, headers, body } = request
  const head = headers.map(([name, value]) => `${name}: ${shortened(value)}`).join(' | ')
  return `[${kind}] ${method} ${shortened(addressOf(request))} | ${head} | ${body ? shortened(body.toString()) : 'no body'}`
}

const shortened = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}… (${text.length})` : text)
