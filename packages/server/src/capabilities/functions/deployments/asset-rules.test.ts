import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readHeaderRules, readRedirectRules } from './asset-rules.ts'

test('[FUN-06] _headers: rules with removed and added headers, in any case and with comments', () => {
  const text = `# of all pages
/*
  X-Frame-Options: DENY
\tLink: </a>; rel="canonical"\r
  ! Cache-Control

/caf\u00e9/:drink/*.html#part
  x-drink: :drink :splat
/empty
`
  assert.deepEqual(readHeaderRules(text), {
    rules: [
      {
        from: '/*',
        remove: ['cache-control'],
        add: [
          ['x-frame-options', 'DENY'],
          ['link', '</a>; rel="canonical"'],
        ],
      },
      { from: '/caf%C3%A9/:drink/*.html', remove: [], add: [['x-drink', ':drink :splat']] },
    ],
    warnings: [],
  })
})

test('[FUN-06] _headers: lines that have no effect are named', () => {
  const lines = [
    'x-early: belongs to no rule',
    'https://example.com/*',
    '/a/*/b/*',
    '/:a/:a',
    '/:a-:b',
    '/ok',
    'no colon',
    'bad name: x',
    'Content-Length: 5',
    '! transfer-encoding',
    'svc-continues: 1',
    'x-empty:',
    'x-text: caf\u00e9',
    `x-long: ${'x'.repeat(2_000)}`,
    'x-good: 1',
  ]
  const { rules, warnings } = readHeaderRules(lines.join('\n'))
  assert.deepEqual(rules, [{ from: '/ok', remove: [], add: [['x-good', '1']] }])
  assert.deepEqual(
    warnings.map((one) => Number(/line (\d+)/.exec(one)?.[1])),
    [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14],
  )
  assert.equal(
    warnings[1],
    '_headers, line 2 must begin with /: hosts are not distinguished; it has no effect',
  )
})

test('[FUN-06] _headers: 100 rules, and 20 warnings', () => {
  const rulesOf = (count: number) =>
    readHeaderRules(Array.from({ length: count }, (_, index) => `/${index}\n a: b\n`).join(''))
  assert.equal(rulesOf(100).warnings.length, 0)
  const over = rulesOf(101)
  assert.deepEqual([over.rules.length, over.warnings.length], [100, 1])
  const { warnings } = rulesOf(5_000)
  assert.equal(warnings.length, 21)
  assert.match(warnings[20] ?? '', /^_headers: 4880 more lines have no effect$/)
})

test('[FUN-06] _redirects: paths, URLs and states', () => {
  const text = `
/home /
/a /b?c=d#e 301 # moved
/blog/* https://blog.example/:splat 308
/caf\u00e9 /th\u00e9 303
/app/* /app.html 200
/x /x/ 307`
  assert.deepEqual(readRedirectRules(text), {
    rules: [
      { from: '/home', to: '/', status: 302 },
      { from: '/a', to: '/b?c=d#e', status: 301 },
      { from: '/blog/*', to: 'https://blog.example/:splat', status: 308 },
      { from: '/caf%C3%A9', to: '/th%C3%A9', status: 303 },
      { from: '/app/*', to: '/app.html', status: 200 },
      { from: '/x', to: '/x/', status: 307 },
    ],
    warnings: [],
  })
})

test('[FUN-06] _redirects: lines that have no effect are named', () => {
  const lines = [
    '/alone',
    '/a /b 404',
    '/a /b 302 Country=us',
    '/a b',
    '/a //example.com',
    '/a /\\example.com',
    '/a javascript:alert(1)',
    '/a https://',
    'example.com/* /b',
    '/a?b=c /d',
    '/a https://example.com/ 200',
    '/* https://:splat.example.com/',
    '/* https://example.com:splat',
    '/* /index.html 200',
    '/same /same',
    `/long /${'x'.repeat(1_000)}`,
    '/* /:splat/x 302',
  ]
  const { rules, warnings } = readRedirectRules(lines.join('\n'))
  assert.deepEqual(rules, [{ from: '/*', to: '/:splat/x', status: 302 }])
  assert.equal(warnings.length, lines.length - 1, warnings.join('\n'))
  assert.match(warnings[13] ?? '', /set not_found_handling to single-page-application/)
})

test('[FUN-06] _redirects: 2,000 static and 100 dynamic ones', () => {
  const static_ = Array.from({ length: 2_001 }, (_, index) => `/${index} /`)
  const dynamic = Array.from({ length: 101 }, (_, index) => `/${index}/* /`)
  const { rules, warnings } = readRedirectRules([...static_, ...dynamic].join('\n'))
  assert.equal(rules.length, 2_100)
  assert.deepEqual(
    warnings.map((one) => /over \d+ \w+ redirects/.exec(one)?.[0]),
    ['over 2000 static redirects', 'over 100 dynamic redirects'],
  )
})
