import type { Address } from '@svc/contract/common/endpoint'

import { type Shape, valuesOf } from './shape.ts'

/** Realistic values by the name of the field; used if they fit the field's bounds. */
const BY_NAME: Record<string, string> = {
  email: 'ada@example.com',
  password: 'a long passphrase',
  currentPassword: 'a long passphrase',
  name: 'Star Duel',
  previousName: 'Star Duet',
  slug: 'star-duel',
  label: 'build server',
  redirectUrl: 'http://localhost:5173/',
  url: 'https://example.com/',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  last4: '7Qx2',
  action: 'config.push',
  subject: 'Confirm your email',
}

const FALLBACKS = [
  '2026-11-14T23:48:00.000Z',
  'prj_01kc8wq4x2e5m7v9b3n6t1h8d0',
  '…',
  'text',
  'https://example.com/',
]

/** A value of this shape: its own example, or else the required fields with plausible values. */
export function exampleOf(shape: Shape, name = ''): unknown {
  if (shape.examples) return shape.examples[0]
  if (shape.default !== undefined) return shape.default
  if (shape.const !== undefined) return shape.const
  if (shape.enum) return shape.enum[0]
  if (shape.anyOf) return exampleOf(shape.anyOf[0] ?? {}, name)
  if (shape.properties) return requiredFields(shape)
  if (valuesOf(shape)) return {}
  if (shape.type === 'string') return text(shape, name)
  if (shape.type === 'integer' || shape.type === 'number') return shape.minimum ?? 1
  if (shape.type === 'boolean') return true
  if (shape.type === 'array') return [exampleOf(shape.items ?? {})]
  if (shape.type === 'null') return null
  return {}
}

const requiredFields = ({ properties = {}, required = [] }: Shape) =>
  Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {}, name)]))

function text(shape: Shape, name: string): string {
  const candidates = [...(BY_NAME[name] ? [BY_NAME[name]] : []), ...(shape.pattern ? FALLBACKS : ['…'])]
  return candidates.find((value) => fits(value, shape)) ?? 'x'.repeat(shape.minLength ?? 1)
}

const fits = (value: string, { minLength = 0, maxLength = Infinity, pattern = '' }: Shape) =>
  value.length >= minLength && value.length <= maxLength && new RegExp(pattern, 'u').test(value)

const HEADERS: Record<Address['caller'], readonly string[]> = {
  none: [],
  public: ['X-Svc-Key: $SVC_DEVELOPMENT_PUBLISHABLE_KEY'],
  player: ['X-Svc-Key: $SVC_DEVELOPMENT_PUBLISHABLE_KEY', 'Authorization: Bearer $SVC_ACCESS_TOKEN'],
  server: ['X-Svc-Key: $SVC_DEVELOPMENT_SECRET_KEY'],
  developer: ['Authorization: Bearer $SVC_DEVELOPER_TOKEN'],
  operator: ['Authorization: Bearer $SVC_DEVELOPER_TOKEN'],
}

/** A call that works in a shell once its variables are set. `bytesBody`: it sends a file as its body. */
export function curl(
  baseUrl: string,
  { method, path, caller }: Address,
  body: unknown,
  bytesBody?: boolean,
): string {
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${baseUrl}${path.replace(/:(\w+)/g, shellValue)}"`,
    ...HEADERS[caller].map((header) => `-H "${header}"`),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(body)}`]),
    ...(bytesBody ? ['--data-binary "@$FILE"'] : []),
  ]
  return parts.join(' \\\n  ')
}

function shellValue(_: string, name: string): string {
  if (name === 'env') return 'development'
  return `$${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
}

const quoted = (body: unknown) => `'${JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`)}'`
