import assert from 'node:assert/strict'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { build } from 'esbuild'

import { snippetsOf } from '../../../scripts/snippets.ts'
import { createInstalledProject } from '../../sdk/test/installed-project.ts'
import { type Browser, startBrowser } from '../../server/src/testing/browser.ts'
import { type TestSetup, startTestSetup } from './cli.ts'
import { playLighthouse } from './lighthouse.ts'
import { apply, diffsOf } from './page-diffs.ts'

/** A developer follows the page of the guide, with a game that has players already. */
const ROOT = join(import.meta.dirname, '../../..')
const GAMES = join(ROOT, 'examples/existing-game')

let setup: TestSetup
let browser: Browser
before(async () => {
  setup = await startTestSetup()
  browser = await startBrowser()
})
after(async () => {
  await browser?.close()
  await setup?.stop()
})

async function open(url: string) {
  const page = await browser.newPage()
  await page.open(url)
  return playLighthouse(page)
}

/** Applies the steps of the page to the folder. */
async function follow(folder: string, config: object) {
  const markdown = await readFile(join(ROOT, 'docs/guide/existing-game.md'), 'utf8')
  const file = join(folder, 'index.html')
  const hunks = diffsOf(markdown).get('index.html') ?? []
  await writeFile(file, apply(hunks, await readFile(file, 'utf8')))
  const { text } =
    snippetsOf(markdown).find(({ how }) => how === 'svc.config.json') ?? assert.fail('the page has no config')
  await writeFile(join(folder, 'svc.config.json'), JSON.stringify({ ...config, ...JSON.parse(`{${text}}`) }))
}

test('the plain game keeps its players: their old save moves into the cloud, and to their next device', async () => {
  const folder = join(setup.root, 'lighthouse')
  await cp(join(GAMES, 'html/before'), folder, { recursive: true })
  await setup.json(['init', '--yes', '--no-install'], { folder })
  const config = JSON.parse(await readFile(join(folder, 'svc.config.json'), 'utf8'))
  const { url } = await setup.json(['deploy', '.'], { folder })

  const phone = await open(url)
  await phone.build(1)
  await phone.untilBest(1)

  await follow(folder, config)
  const after = JSON.parse(await readFile(join(GAMES, 'html/after/svc.config.json'), 'utf8'))
  const { $schema } = config
  assert.deepEqual(JSON.parse(await readFile(join(folder, 'svc.config.json'), 'utf8')), { ...after, $schema })
  await setup.json(['deploy', '.'], { folder })
  const problems = phone.page.problems()
  await phone.page.open(url)
  await phone.untilOnline()
  await phone.untilBest(1)
  await phone.signIn('new account', 'ada@example.com')

  // The score reaches the board, also on a device that has never played.
  await phone.build(3)
  await phone.untilBoard('1 You 3')
  const laptop = await open(url)
  await laptop.untilOnline()
  await laptop.untilBoard(`1 ${String(await nameIn(phone))} 3`)
  await laptop.signIn('existing account', 'ada@example.com')
  await laptop.untilBest(3)
  await laptop.untilBoard('1 You 3')

  // The laptop saves; then the phone chooses its first lamp again and saves, without knowing of that.
  await laptop.build(4)
  await laptop.untilBoard('1 You 4')
  await phone.page.press('#lamps button')
  await phone.untilBest(4)
  // Browsers log the answer to a conflict themselves.
  assert.deepEqual(
    problems.filter((problem) => !/409.*\/v1\/saves\/progress$/.test(problem)),
    [],
  )

  // Without a network it still starts, and the next visit brings the phone's new best to the laptop.
  await phone.page.page.context().setOffline(true)
  await phone.page.open(url)
  await phone.build(5)
  await phone.untilBest(5)
  await phone.page.page.context().setOffline(false)
  await phone.page.open(url)
  await phone.page.until(`!document.getElementById('board').hidden`)
  await laptop.page.open(url)
  await laptop.untilBest(5)
})

const nameIn = ({ page }: { page: { read(expression: string): Promise<unknown> } }) =>
  page.read(`JSON.parse(localStorage.getItem('svc.session')).player.displayName`)

/** What Vite's own package declares of it. */
const VITE_TYPES = `
interface ImportMetaEnv { [name: string]: any; DEV: boolean }
interface ImportMeta { readonly env: ImportMetaEnv }
declare module '*.css'
`

test('the game with Vite: no type errors, and the bundle imports an old save, ranks a score and starts without svc', async (t) => {
  const project = await createInstalledProject()
  t.after(project.remove)
  await cp(join(GAMES, 'vite/after/src'), join(project.folder, 'src'), { recursive: true })
  const { compilerOptions } = JSON.parse(await readFile(join(GAMES, 'vite/after/tsconfig.json'), 'utf8'))
  assert.equal(compilerOptions.strict, true)
  const main = await readFile(join(GAMES, 'vite/after/src/main.ts'), 'utf8')
  const sources = { 'src/main.ts': main, 'src/vite-env.d.ts': VITE_TYPES }
  assert.deepEqual(await project.typeErrors(sources, { ...compilerOptions, types: [] }), [])

  const folder = join(setup.root, 'lighthouse-vite')
  await cp(join(GAMES, 'vite/after'), folder, { recursive: true })
  await setup.json(['init', '--yes', '--no-install'], { folder })
  const dist = join(folder, 'dist')
  await build({
    entryPoints: [join(project.folder, 'src/main.ts')],
    define: { 'import.meta.env': '{"DEV":false}' },
    bundle: true,
    format: 'esm',
    splitting: true,
    outdir: dist,
  })
  const html = await readFile(join(folder, 'index.html'), 'utf8')
  await writeFile(
    join(dist, 'index.html'),
    html
      .replace('/src/main.ts', '/main.js')
      .replace('</head>', '<link rel="stylesheet" href="/main.css"></head>'),
  )
  const { url } = await setup.json(['deploy', 'dist'], { folder })

  const page = await browser.newPage()
  await page.page.route('**/.svc/**', (route) => route.abort())
  await page.open(url)
  const player = playLighthouse(page)
  await player.build(1)
  await player.untilBest(1)
  await page.page.unroute('**/.svc/**')
  await page.open(url)
  await player.untilOnline()
  await player.build(2)
  await player.untilBoard('1 You 2')
  await player.untilBest(2)
  await player.signIn('new account', 'vera@example.com')
  const other = await open(url)
  await other.untilOnline()
  await other.signIn('existing account', 'vera@example.com')
  await other.untilBest(2)
})
