import type { Header } from './request.ts'

const words = (text: string) => text.trim().split(/\s+/)
const headers = (name: string, ...values: string[]) => values.map((value): Header => [name, value])
const nested = (depth: number) => [
  '['.repeat(depth) + ']'.repeat(depth),
  '{"a":'.repeat(depth) + '1' + '}'.repeat(depth),
]

/** Not JSON, or JSON that no correct client writes. */
export const BODIES: Buffer[] = [
  ...words(
    `{ } [1,] {"a":} {'a':1} {"a":1}{"b":2} undefined NaN - 01 "\\x" [] null "x" 1 "\\ud800" "\\u0000"`,
  ),
  ...words(
    '{"__proto__":{"admin":true}} {"constructor":{"prototype":{"admin":true}}} {"a":{"__proto__":null}}',
  ),
  ...words(
    '{"email":"a","email":"b"} {"toString":1,"valueOf":2,"toJSON":3,"then":4} {"\\u0000":1} {"\\udfff":1}',
  ),
  ...words(
    '{"advanceMs":1e400} {"advanceMs":-1e400} {"advanceMs":1e-400} {"advanceMs":-0} {"advanceMs":9007199254740993}',
  ),
  ...[63, 64, 65, 1_000, 200_000].flatMap(nested),
  '',
  ' ',
  '"\t"',
  '\ufeff{}',
  `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join()}}`,
  `[${'1e308,'.repeat(10_000)}0]`,
].map((text) => Buffer.from(text))

export const LARGER_THAN_ALLOWED = Buffer.from(`{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`)

export const BROKEN_UTF8: Buffer[] = words('ff c080 eda080 f4908080 e282 80').map((hex) =>
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]),
)

export const SEGMENTS: string[] = [
  ...words(
    '%00 prj_%00 %2e%2e .. . ..%2f..%2fetc %2f %5c \\ % %f %ff %zz %ED%A0%80 %C0%80 ;a=b :projectId * %20 + ? #x',
  ),
  ...words(
    '%E2%80%AE %EF%BB%BF e%CC%81 %0d%0aX-Evil:%201 %0a ü 😀 __proto__ constructor null 0 -1 1e9 1.5 99999999999999999999',
  ),
  ...[0, 64, 65, 512, 513, 7_000].map((length) => 'x'.repeat(length)),
]

export const QUERIES: string[] = [
  ...words(
    'limit=1&limit=2 limit[]=1 limit[a]=1 __proto__=1 __proto__[a]=1 constructor=1 limit=%00 before=%00 env=%00',
  ),
  ...words(
    'env=__proto__ env=constructor limit=% limit=%ff = &&& ? limit limit= limit=1e1 limit=0x1 limit=٣ limit=1.0 limit=+1',
  ),
  ...words(
    'before=1&before=2 before=99999999999999999999 before=-1 before=aud_%00 dryRun=1 dryRun=TRUE dryRun=true&dryRun=false',
  ),
  ...words('state=%00&code=%00 state=x&code=y error=%3Cscript%3E state=%ff'),
  `before=${'x'.repeat(7_000)}`,
  `${'a=1&'.repeat(2_000)}a=1`,
  'limit= 1',
]

export const HEADERS: Header[] = [
  ...headers('X-Svc-Key', '', ' ', 'x', 'pk_', 'sk_dev_', 'sk_prod_\u00ff', 'a, b', 'x'.repeat(8_000)),
  ...headers(
    'Authorization',
    '',
    'Bearer',
    'Bearer ',
    'Bearer  x',
    'bearer kds_',
    'Basic dTpw',
    'Bearer a b',
    'kds_x',
    'Bearer kds_\u00e9',
  ),
  ...headers('Authorization', `Bearer kds_${'x'.repeat(9_000)}`),
  ...headers(
    'Idempotency-Key',
    '',
    ' ',
    'ö',
    'a b',
    'x'.repeat(128),
    'x'.repeat(129),
    '../..',
    '{}',
    '"quoted"',
  ),
  ...headers(
    'Origin',
    'null',
    '',
    'https://',
    'javascript:alert(1)',
    'https://evil.example',
    '*',
    'http://localhost:99999',
    'x'.repeat(5_000),
  ),
  ...headers(
    'Content-Type',
    'text/plain',
    '',
    'application/json; charset=utf-16',
    'application/json;',
    'multipart/form-data',
    'x',
    'a'.repeat(5_000),
  ),
  ...headers('Content-Encoding', 'gzip', 'br', 'deflate, gzip', 'identity', '', 'nonsense'),
  ...headers('Expect', '100-continue', 'a-miracle'),
  ...headers('Upgrade', 'websocket', 'h2c'),
  ...headers('Host', 'second.example', ''),
  ...headers('X-Forwarded-For', '127.0.0.1, evil', ','),
  ...headers('X-HTTP-Method-Override', 'DELETE'),
  ...headers('X-Request-Id', 'mine'),
  ...headers('X-Control', 'a\u0001b', 'a\rb', 'x'.repeat(20_000)),
  ...headers('__proto__', 'x'),
  ...headers('Bad Name', 'x'),
  ...headers('', 'x'),
]

/** Lengths that do not match the body. */
export const LENGTHS: { headers: Header[]; body?: Buffer }[] = [
  ...words('-1 x 0 1 99999999999999999999 3000000').map((length) => ({
    headers: headers('Content-Length', length),
  })),
  { headers: headers('Content-Length', '2', '3') },
  { headers: [...headers('Transfer-Encoding', 'chunked'), ...headers('Content-Length', '5')] },
  ...['2\r\n{}\r\n0\r\n\r\n', 'zz\r\n{}\r\n', '5\r\n{}'].map((chunks) => ({
    headers: headers('Transfer-Encoding', 'chunked'),
    body: Buffer.from(chunks),
  })),
  { headers: headers('Transfer-Encoding', 'gzip, chunked'), body: Buffer.from('0\r\n\r\n') },
]

export const METHODS = [
  ...words('GET POST PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND SEARCH QUERY get FOO GËT'),
  '',
]
export const VERSIONS = [...words('HTTP/1.0 HTTP/0.9 HTTP/2.0 HTTP/1.9 HTTP/x http/1.1 ICE/1.0'), '']

export const TARGETS: ((path: string) => string)[] = [
  ...['//v1', '/v1/..', '/.', 'http://evil.example'].map((before) => (path: string) => before + path),
  ...['/', '%00', '%2f..', ';', '//'].map((after) => (path: string) => path + after),
  ...['*', '', '/', '/v1', '/%', `/${'x'.repeat(15_000)}`, `/${'a/'.repeat(3_000)}`].map(
    (target) => () => target,
  ),
  (path) => path.toUpperCase(),
]

/** Whether the router accepts it as a parameter. */
export function isParameter(segment: string): boolean {
  if (segment === '' || /[?#]/.test(segment)) return false
  try {
    decodeURIComponent(segment)
    return true
  } catch {
    return false
  }
}
