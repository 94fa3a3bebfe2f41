import { escapeHtml, type HtmlPage, htmlPage } from '../../../platform/pages.ts'

/** Where `svc` looks when nobody tells it where. */
const USUAL = 'http://localhost:8787'

/** What a browser shows at the address of the service itself: that it runs, and where to go on. */
export function startPage({ baseUrl, version }: { baseUrl: string; version: string }): HtmlPage {
  const { body, headers } = htmlPage({
    title: 'svc',
    main: `<h1>svc is running</h1>
<p>Version ${escapeHtml(version)}, at <code>${escapeHtml(baseUrl)}</code></p>
${new URL(baseUrl).hostname === 'localhost' ? firstSteps(baseUrl) : ''}<ul>
<li><a href="/docs">The API</a>: every call, with a form to try it</li>
<li><a href="/docs/guide/README.md">The guide</a>, in plain text</li>
<li><a href="/readyz">Readiness</a>: whether every part answers</li>
</ul>`,
  })
  return { body, headers: { ...headers, 'Cache-Control': 'no-cache' } }
}

const firstSteps = (baseUrl: string) => `<p>Create a game, in a second terminal in the svc folder:</p>
<pre><code>npm run svc -- new ../star-duel${baseUrl === USUAL ? '' : ` --url ${escapeHtml(baseUrl)}`}
cd ../star-duel
npm run svc -- deploy public</code></pre>
`
