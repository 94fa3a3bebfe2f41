import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { endpointList } from '@svc/contract/common/endpoints'
import { renderDocument } from '@svc/docs/markdown'
import type { SearchIndex } from '@svc/docs/search/search-index'

import { readPng } from '../../../testing/png.ts'
import { type Service, startService } from '../../../testing/service.ts'

const DOCS = join(import.meta.dirname, '../../../../../../docs')

let service: Service
before(async () => {
  service = await startService('sqlite')
})
after(() => service.stop())

const get = (url: string) => service.http.inject({ method: 'GET', url })

test('all pages that llms.txt lists exist', async () => {
  const { statusCode, headers, body } = await get('/llms.txt')
  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  const links = [...body.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = '']) => link)
  assert.ok(links.length > 15)
  for (const link of links) assert.equal((await get(link)).statusCode, 200, link)
})

test('[AGT-48] llms.txt names all parts and tells agents how to connect; llms-full.txt has every page of the guide, whose links have a target', async () => {
  const short = (await get('/llms.txt')).body
  assert.match(short, /^## Agents$[^#]*svc mcp install --write[^#]*\/llms-full\.txt/m)
  for (const part of ['leaderboards', 'voice', 'functions', 'sharing', 'billing', 'matchmaking', 'hosting'])
    assert.ok(short.split('\n\n')[1]?.includes(part), part)
  const { statusCode, headers, rawPayload, body } = await get('/llms-full.txt')
  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  assert.ok(rawPayload.length <= 500_000 && rawPayload.length > 100_000, `${rawPayload.length}`)
  const guide = await readdir(join(DOCS, 'guide'))
  for (const name of guide.filter((file) => file !== 'README.md')) {
    const [title] = (await get(`/docs/guide/${name}`)).body.split('\n')
    assert.ok(body.includes(`\n${title}\n`), name)
    assert.ok(short.includes(`(/docs/guide/${name})`), name)
  }
  const links = new Set([...body.matchAll(/\]\((\/[^)#]+)/g)].map(([, link = '']) => link))
  for (const link of links) assert.equal((await get(link)).statusCode, 200, link)
  assert.doesNotMatch(body, /\]\([\w.-]+\.md/, 'no link is relative')
})

test('[DOC-01] a page is Markdown at its address with .md, and the pages it links to exist', async () => {
  const { headers, body } = await get('/docs/guide/README.md')
  assert.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  for (const [, link = ''] of body.matchAll(/\]\(([^):#]+)\)/g)) {
    const { pathname } = new URL(link, 'http://localhost/docs/guide/README.md')
    assert.equal((await get(pathname)).statusCode, 200, link)
  }
})

const textOf = (html: string) => html.replace(/<[^>]*>/g, '')
const unescaped = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

test('[DOC-01] every page is HTML under the policy of the dashboard, without inline script or style', async () => {
  for (const url of [
    '/docs',
    '/docs/api',
    '/docs/api/saves',
    '/docs/guide',
    '/docs/guide/rooms',
    '/docs/errors',
  ]) {
    const { statusCode, headers, body } = await get(url)
    assert.equal(statusCode, 200, url)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self';/)
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(body.match(/<h1>/g)?.length, 1, url)
    assert.doesNotMatch(body, /<script(?![^>]* src=)|<style|\sstyle="|\son\w+="/, url)
    assert.doesNotMatch(body, /(?:src|action)="(?!\/)/, 'nothing is loaded from elsewhere')
  }
})

test('[DOC-02] no link of a page leads to nothing: every page, file and anchor exists', async () => {
  const idsOf = new Map<string, Set<string>>()
  const wanted = new Map<string, string>()
  const waiting = ['/docs']
  for (const url of waiting) {
    const { statusCode, headers, body } = await get(url)
    assert.equal(statusCode, 200, `${url}, linked from ${wanted.get(url)}`)
    if (!String(headers['content-type']).startsWith('text/html')) continue
    const ids = [...body.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => unescaped(id))
    assert.deepEqual(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
      `ids of ${url}`,
    )
    idsOf.set(url, new Set(ids))
    for (const [, address = ''] of body.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
      if (/^(?:https?|data):/.test(address)) continue
      const { pathname, hash } = new URL(unescaped(address), `http://localhost${url}`)
      if (hash !== '') wanted.set(pathname + hash, url)
      if (/^\/dashboard(?!\/)|\.woff2$/.test(pathname) || waiting.includes(pathname)) continue
      wanted.set(pathname, url)
      waiting.push(pathname)
    }
  }
  assert.ok(idsOf.size > 50, `${idsOf.size} pages`)
  for (const [address, from] of wanted) {
    const [page = '', hash] = address.split('#')
    if (hash !== undefined)
      assert.ok(idsOf.get(page)?.has(decodeURIComponent(hash)), `${address}, linked from ${from}`)
  }
})

test('[DOC-13] the place of a picture is free before it arrives: its size is in the page', async () => {
  let pictures = 0
  for (const name of await readdir(join(DOCS, 'guide'))) {
    const { body } = await get(`/docs/guide/${name.slice(0, -'.md'.length)}`)
    for (const [tag, address = ''] of body.matchAll(/<img src="([^"]+)"[^>]*>/g)) {
      const { width, height } = readPng((await get(address)).rawPayload)
      assert.ok(tag.includes(` width="${width}" height="${height}" `), `${name}: ${tag}`)
      pictures++
    }
  }
  assert.ok(pictures >= 5, `${pictures}`)
})

test('[DOC-14] every page has a description of its own, of at most 160 characters', async () => {
  const index = JSON.parse((await get('/docs/search.json')).body) as SearchIndex
  const descriptions = new Map<string, string>()
  for (const url of ['/docs', '/docs/api', '/docs/guide', ...index.pages.map(({ href }) => href)]) {
    const [, description = ''] =
      /<meta name="description" content="([^"]+)"/.exec((await get(url)).body) ?? []
    const text = unescaped(description)
    assert.ok(text.length > 10 && text.length <= 160, `${url}: ${text}`)
    assert.doesNotMatch(text, /[:,] …$/, url)
    assert.equal(descriptions.get(text), undefined, url)
    descriptions.set(text, url)
  }
  assert.ok(
    [...descriptions.keys()].some((text) => text.startsWith('Real-time multiplayer. A room connects up to')),
  )
})

test('[DOC-02] every page of the guide is listed, has the text of its Markdown, and leads to the pages before and after', async () => {
  const guide = await readdir(join(DOCS, 'guide'))
  const home = (await get('/docs')).body
  for (const name of guide.filter((file) => file !== 'README.md').map((file) => file.slice(0, -3))) {
    assert.ok(home.includes(`href="/docs/guide/${name}"`), name)
    const { body } = await get(`/docs/guide/${name}`)
    const source = (await get(`/docs/guide/${name}.md`)).body
    const shown = unescaped(textOf(body))
    for (const [, heading = ''] of source.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm))
      assert.ok(shown.includes(heading.replaceAll('`', '')), `${name}: ${heading}`)
    assert.equal(
      body.match(/<figure class="code">/g)?.length ?? 0,
      source.match(/^```\w/gm)?.length ?? 0,
      name,
    )
    assert.match(body, /rel="(?:prev|next)"/, name)
    assert.ok(body.includes(`href="/docs/guide/${name}.md"`), name)
  }
})

test('[DOC-12] the navigation and the first page have the groups of the guide, and the next page may be in another group', async () => {
  const titles = [
    'Start',
    'Players',
    'Multiplayer',
    'Your code and your app',
    'Run it',
    'Help',
    'API',
    'Reference',
  ]
  const groupsOf = (body: string) =>
    [...body.matchAll(/<details class="group"( +open)? *>\s*<summary>([^<]+)</g)].map(([, open, title]) => ({
      title,
      isOpen: open !== undefined,
    }))
  const home = (await get('/docs')).body
  assert.deepEqual(
    [...home.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, title]) => title),
    titles,
  )
  const guide = groupsOf((await get('/docs/guide/rooms')).body)
  assert.deepEqual(
    guide.map(({ title }) => title),
    titles,
  )
  assert.deepEqual(
    guide.filter(({ isOpen }) => !isOpen).map(({ title }) => title),
    ['API', 'Reference'],
  )
  const api = groupsOf((await get('/docs/api/saves')).body)
  assert.deepEqual(
    api.filter(({ isOpen }) => isOpen).map(({ title }) => title),
    ['API'],
  )

  // From the last page of a group to the first one of the next.
  const readme = (await get('/docs/guide/README.md')).body
  const [, players = '', multiplayer = ''] = /## Players\n([^#]*)## Multiplayer\n([^#]*)##/.exec(readme) ?? []
  const last = [...players.matchAll(/\((\S+)\.md\)/g)].at(-1)?.[1]
  const first = /\((\S+)\.md\)/.exec(multiplayer)?.[1]
  assert.match(
    (await get(`/docs/guide/${last}`)).body,
    new RegExp(`href="/docs/guide/${first}" rel="next"\\s*><small>Next · Multiplayer</small>`),
  )
})

test('[DOC-03] HTML in Markdown is shown as text, and code has colours without a script', async () => {
  const source = [
    '# Title',
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(2)> b [bad](javascript:alert(3)) [out](../../examples/x) [page](rooms.md#a)',
    '## Two `code`',
    '## Two `code`',
    '```js page=ada',
    'const a = "</code><b>"',
    '```',
    '```console',
    '$ npm start # <i>',
    'ready',
    '```',
  ]
    .join('\n\n')
    .replace(/(```\S.*)\n\n/g, '$1\n')
  const { title, headings, main } = renderDocument(source, '/docs/guide/test.md', new Map())
  assert.equal(title, 'Title')
  assert.deepEqual(
    headings.map(({ id }) => id),
    ['two-code', 'two-code-1'],
  )
  assert.doesNotMatch(main.html, /<script|<img|<b>|<i>|javascript:|examples\/x/)
  assert.match(main.html, /<a href="\/docs\/guide\/rooms#a">page<\/a>/)
  assert.match(main.html, /<figcaption>Ada’s browser<\/figcaption>/)
  assert.match(main.html, /<span class="hljs-keyword">const<\/span>/)
  assert.match(
    main.html,
    /<span class="prompt">\$ <\/span><span class="command">npm start # &#60;i&#62;<\/span>/,
  )
})

test('[DOC-06] the search index has every page and every endpoint, with anchors that exist', async () => {
  const index = JSON.parse((await get('/docs/search.json')).body) as SearchIndex
  for (const endpoint of endpointList) assert.ok(index.sections.some(([, id]) => id === endpoint.name))
  for (const [at, { href }] of index.pages.entries()) {
    const { statusCode, body } = await get(href)
    assert.equal(statusCode, 200, href)
    const ids = new Set([...body.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => unescaped(id)))
    for (const [page, id] of index.sections)
      if (page === at && id !== '') assert.ok(ids.has(id), `${href}#${id}`)
  }
})

test('the schema of the config document is served for editors', async () => {
  const { headers, body } = await get('/docs/svc.config.schema.json')
  assert.equal(headers['content-type'], 'application/schema+json; charset=utf-8')
  assert.ok('features' in JSON.parse(body).properties)
})

for (const url of [
  '/docs/nothing.md',
  '/docs/openapi.json',
  '/docs/nothing',
  '/docs/guide/nothing',
  '/docs/api/nothing',
  '/docs/guide/rooms.html',
  '/docs/pictures/nothing.png',
  '/docs/pictures/..%2fllms.txt',
  '/docs/decisions/0008-hosting-manifests.md',
  '/docs/..%2fREADME.md',
  '/docs/guide/..%2ferrors.md',
  '/docs/%2e%2e%2fpackage.json',
  '/docs/errors.md%20',
  '/docs/guide/rooms/more',
  '/docs/a/b/c/d',
]) {
  test(`[DOC-08] ${url} answers 404: JSON to a program, a page with the search and the groups to a browser`, async () => {
    const { statusCode, body } = await get(url)
    assert.deepEqual([statusCode, JSON.parse(body).error.code], [404, 'not_found'])

    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const page = await service.http.inject({ method: 'GET', url, headers: { accept } })
    assert.equal(page.statusCode, 404)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(page.headers['cache-control'], 'no-store')
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'/)
    assert.match(page.body, /<h1>Page not found<\/h1>/)
    assert.match(page.body, /id="search"/)
    for (const group of [
      'start',
      'players',
      'multiplayer',
      'your-code-and-your-app',
      'run-it',
      'help',
      'api',
    ])
      assert.match(page.body, new RegExp(`<section class="home" id="${group}">`))
  })
}
