import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

import { build, type Plugin, stop } from 'esbuild'

import { cachedBuild } from '../../scripts/build/cached.ts'
import { writeLicences } from '../../scripts/build/licences.ts'

const PACKAGE = import.meta.dirname
const ROOT = resolve(PACKAGE, '../..')
/** Scripts and styles of the pages at `/docs`, which share the tokens and fonts of the dashboard. */
const DOCS = join(ROOT, 'packages/docs/src/browser')
const SOURCES = [
  'package-lock.json',
  'packages/contract/src/common/roles.ts',
  'packages/dashboard/build.ts',
  'packages/dashboard/src',
  'packages/docs/src/browser',
  'packages/sdk/src',
  'scripts/build/licences.ts',
]
/** The scripts that the page loads before it can show anything. */
export const INITIAL_SCRIPT_GZIP_BYTES_MAX = 60 * 1024

/** Gzip sizes in bytes, by file name. */
export type Sizes = { initialScript: number; style: number; files: Record<string, number> }

/** Returns a folder with files that are built from the sources as they are now; builds them if there is none. */
export const upToDateFolder = (): Promise<string> => cachedBuild('dashboard', SOURCES, buildInto)

/** Writes the files of the app and the docs into a folder: pages, scripts, styles, fonts, licences and `sizes.json`. */
export async function buildInto(folder: string): Promise<Sizes> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { metafile } = await build({
    entryPoints: {
      app: join(PACKAGE, 'src/main.tsx'),
      style: join(PACKAGE, 'src/styles/style.css'),
      'docs-page': join(DOCS, 'page.ts'),
      'docs-theme': join(DOCS, 'theme.ts'),
      'docs-style': join(DOCS, 'docs.css'),
    },
    absWorkingDir: ROOT,
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    legalComments: 'none',
    target: ['es2023', 'chrome125', 'firefox128', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.woff2': 'file' },
    plugins: [usedIconsOnly],
    publicPath: '/dashboard',
    metafile: true,
    logLevel: 'silent',
  })
  // Otherwise its helper process would keep running and use memory.
  await stop()

  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({
    ...output,
    name: relative(folder, join(ROOT, path)),
  }))
  const nameOf = (start: string, end: string) =>
    outputs.find(({ name }) => name.startsWith(start) && name.endsWith(end))?.name ?? ''
  const [script, style, font] = [
    nameOf('app-', '.js'),
    nameOf('style-', '.css'),
    nameOf('geist-latin-wght', '.woff2'),
  ]
  const importsOf = (output: (typeof outputs)[number] | undefined) =>
    (output?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path }) => relative(folder, join(ROOT, path)))
  // Scripts that the first one imports are loaded together with it, not after it. Who has none of them sees the sign-in first.
  const imported = importsOf(outputs.find(({ name }) => name === script))
  const signIn = outputs.find(({ entryPoint = '' }) => entryPoint.endsWith('/sign-in.tsx'))
  const preloaded = new Set([...imported, signIn?.name ?? '', ...importsOf(signIn)])

  const html = (await readFile(join(PACKAGE, 'src/index.html'), 'utf8'))
    .replace('{style}', `/dashboard/${style}`)
    .replace('{script}', `/dashboard/${script}`)
    .replace('{font}', `/dashboard/${font}`)
    .replace(
      '{preloads}',
      [...preloaded].map((name) => `<link rel="modulepreload" href="/dashboard/${name}">`).join('\n    '),
    )
  await writeFile(join(folder, 'index.html'), html)
  // The service renders the pages of the docs; it reads here which files they load.
  const docs = {
    style: `/dashboard/${nameOf('docs-style-', '.css')}`,
    theme: `/dashboard/${nameOf('docs-theme-', '.js')}`,
    script: `/dashboard/${nameOf('docs-page-', '.js')}`,
    font: `/dashboard/${font}`,
  }
  await writeFile(join(folder, 'docs.json'), JSON.stringify(docs))
  await writeLicences(ROOT, folder, Object.keys(metafile.inputs))

  const files: Record<string, number> = {}
  for (const { name } of outputs)
    files[name] = gzipSync(await readFile(join(folder, name)), { level: 9 }).length
  const sizes = {
    initialScript: [script, ...imported].reduce((sum, name) => sum + (files[name] ?? 0), 0),
    style: files[style] ?? 0,
    files,
  }
  await writeFile(join(folder, 'sizes.json'), JSON.stringify(sizes, null, 2))
  return sizes
}

/** Reads the icons that `ui/icons.ts` names, not all 1,800 of the package: that is most of the build's time. */
const usedIconsOnly: Plugin = {
  name: 'used icons only',
  setup({ onLoad }) {
    onLoad({ filter: /src[\\/]ui[\\/]icons\.ts$/ }, async ({ path }) => {
      const icons = join(ROOT, 'node_modules/lucide-preact/dist/esm/icons')
      const names = (await readFile(path, 'utf8')).matchAll(/^ {2}(\w+) as (\w+),$/gm)
      const lines = names.map(([, icon = '', alias = '']) => {
        const file = icon.replace(/(?<=[a-z])(?=[A-Z\d])/g, '-').toLowerCase()
        return `export { default as ${alias} } from ${JSON.stringify(join(icons, `${file}.mjs`))}`
      })
      return { contents: [...lines].join('\n'), loader: 'js' }
    })
  },
}
