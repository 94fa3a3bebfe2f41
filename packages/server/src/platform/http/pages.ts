import { createHash } from 'node:crypto'

/** A page and the headers that it must be sent with. */
export type HtmlPage = { body: string; headers: Record<string, string> }

/** For text and for attribute values in quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --page: #f6f7f9; --card: #fff; --accent: #1f5fd6; --line: #d8dde3; --edge: #848d97; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --text: #e8eaed; --soft: #9aa4af; --page: #111418; --card: #1a1f25; --accent: #7aa7ff; --line: #2c333b; --edge: #6b7683; --bad: #ff8a80 } }
* { box-sizing: border-box } [hidden] { display: none !important }
body { margin: 0; min-height: 100vh; padding: 1rem; display: grid; grid-template-columns: minmax(0, 26rem); place-content: center; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow-wrap: anywhere }
main > :first-child { margin-top: 0 } main > :last-child { margin-bottom: 0 } [role=alert] { color: var(--bad) }
h1 { font-size: 1.25rem; margin: 0 0 .75rem } p { margin: .5rem 0; color: var(--soft) } a { color: var(--accent) } strong { color: var(--text) }
ul { margin: 1rem 0; padding-left: 1.25rem; color: var(--soft) } code, pre { font: .875rem/1.6 ui-monospace, Menlo, Consolas, monospace }
pre { margin: .75rem 0; padding: .75rem 1rem; white-space: pre-wrap; background: var(--page); border: 1px solid var(--line); border-radius: 8px }
label { display: block; margin: 1rem 0 .25rem } input, button { width: 100%; font: inherit; padding: .6rem .75rem; border-radius: 8px; border: 1px solid var(--edge); background: var(--page); color: inherit }
button { margin-top: 1rem; background: var(--accent); border-color: var(--accent); color: var(--card); font-weight: 600; cursor: pointer }
.choices { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; margin: 1rem 0 } .choices button { margin: 0; background: var(--page); border-color: var(--edge); color: var(--text) } .choices button:only-child { grid-column: 1 / -1 }
button:hover { filter: brightness(1.1) } button:disabled { opacity: .6; cursor: default } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`

/** A small page of the service: no framework, no requests to other hosts, and only this script may run on it. */
export function htmlPage({
  title,
  main,
  script,
  language = 'en',
}: {
  title: string
  main: string
  script?: string
  language?: string
}): HtmlPage {
  const scriptPolicy = script ? `'sha256-${createHash('sha256').update(script).digest('base64')}'` : `'none'`
  const stylePolicy = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
  return {
    body: `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>${main}</main>${script ? `<script>${script}</script>` : ''}</body></html>`,
    headers: {
      'Content-Security-Policy': `default-src 'none'; img-src 'self'; style-src ${stylePolicy}; script-src ${scriptPolicy}; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      'Cache-Control': 'no-store',
    },
  }
}
