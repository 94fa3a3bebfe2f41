import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { build } from 'esbuild'

import type { Snippet } from '../../../../scripts/snippets.ts'

const NODE_MODULES = join(import.meta.dirname, '../../../../node_modules')

/** The samples of the page about engines that need something around them to run, each with a small program that uses it. */
export const engineSamples = (
  snippets: readonly Snippet[],
): [what: string, snippets: () => Promise<Snippet[]>][] => {
  const textOf = (end: string) => snippets.find(({ how }) => how.endsWith(end))?.text ?? ''
  const react = { 'useSvc.tsx': textOf('useSvc.tsx'), 'App.tsx': textOf('App.tsx') }
  return [
    ['the hook for React', async () => [inPage(await bundled(react)), inPage(USE_HOOK)]],
    [
      'the bridge to Unity',
      async () => [
        inPage(EMSCRIPTEN),
        inPage(scriptIn(textOf('Svc/index.html'))),
        inPage(textOf('.jslib')),
        inPage(USE_LIBRARY),
      ],
    ],
    [
      'the bridge to Godot',
      async () => [inPage(scriptIn(textOf('head-include.html'))), inPage(USE_HEAD_INCLUDE)],
    ],
  ]
}

const inPage = (text: string): Snippet => ({ line: 1, language: 'js', how: 'page', text })

/** The script of an HTML page, with its statements at the beginning of the lines. */
const scriptIn = (html: string): string =>
  (/<script[^>]*>\n([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '').replaceAll(/^ {2}/gm, '')

/** Preact has the interface of React. The SDK is that of the page. */
async function bundled(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-react-'))
  const write = (name: string, text: string) => writeFile(join(folder, basename(name)), text)
  try {
    for (const [name, text] of Object.entries(files)) await write(name, text)
    await write('sdk.js', "export const connect = async () => (await import('/.svc/sdk.js')).connect()")
    await write('entry.tsx', START)
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'entry.tsx')],
      bundle: true,
      write: false,
      format: 'iife',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      nodePaths: [NODE_MODULES],
      alias: { react: 'preact/compat', '@svc/sdk': join(folder, 'sdk.js') },
      external: ['/.svc/sdk.js'],
    })
    return outputFiles[0]?.text ?? ''
  } finally {
    await rm(folder, { recursive: true })
  }
}

const START = `
import { render } from 'preact'
import { App } from './App.tsx'

const place = document.createElement('main')
document.body.append(place)
render(<App />, place)
`

const UNTIL = `
globalThis.until = async (condition) => {
  while (!condition()) await new Promise((done) => setTimeout(done, 20))
}
`

const USE_HOOK = `${UNTIL}
const heading = () => document.querySelector('main h1')?.textContent ?? ''
await until(() => heading().startsWith('Hello '))
const input = document.querySelector('main input')
input.value = 'React Ada'
input.dispatchEvent(new Event('input', { bubbles: true }))
await new Promise((done) => setTimeout(done))
document.querySelector('main button').click()
await until(() => heading().includes('React Ada'))
console.log(heading()) // → Hello React Ada
`

/** What Unity's compiler and its run time offer to a library. */
const EMSCRIPTEN = `
globalThis.LibraryManager = { library: {} }
globalThis.mergeInto = (library, functions) => Object.assign(library, functions)
globalThis.UTF8ToString = (text) => text
globalThis.calls = []
globalThis.SendMessage = (...values) => calls.push(values)
`

const USE_LIBRARY = `${UNTIL}
const { SvcLoad, SvcSave } = LibraryManager.library
SvcLoad('Bridge', 'unity1')
await until(() => calls.length === 1)
console.log(calls[0]) // → [ 'Bridge', 'OnSvcLoaded', 'null' ]
SvcSave('Bridge', 'unity1', '{"level":2}')
await until(() => calls.length === 2)
console.log(calls[1]) // → [ 'Bridge', 'OnSvcSaved', 1 ]
SvcLoad('Bridge', 'unity1')
await until(() => calls.length === 3)
console.log(calls[2]) // → [ 'Bridge', 'OnSvcLoaded', '{"level":2}' ]
SvcSave('Bridge', 'not a name', '{}')
await until(() => calls.length === 4)
console.log(calls[3]) // → [ 'Bridge', 'OnSvcError', 'invalid_request' ]
`

const USE_HEAD_INCLUDE = `
const ask = (name, ...values) => new Promise((done) => svcGame[name](...values, (...results) => done(results)))
console.log(svcGame.playerName === svc.player.displayName) // → true
console.log(await ask('load', 'godot1')) // → [ 'null', '' ]
console.log(await ask('save', 'godot1', '{"level":3}')) // → [ '1', '' ]
console.log(await ask('load', 'godot1')) // → [ '{"level":3}', '' ]
console.log(await ask('save', 'not a name', '{}')) // → [ '', 'invalid_request' ]
`
