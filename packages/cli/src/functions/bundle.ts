import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, matchesGlob, relative, resolve, sep } from 'node:path'

import type { FunctionModule } from '@svc/contract/function-parts'
import type { BuildFailure, Plugin } from 'esbuild'

import { Failure } from '../output/failure.ts'
import type { ModuleRule } from './project.ts'

export type Bundle = { modules: FunctionModule[]; mainModule: string; map: string; inputs: string[] }

const MAIN = 'index.js'
/** As Workers packages expect it. */
const CONDITIONS = ['workerd', 'worker', 'browser']

/** Modules of Node, with or without `node:`. */
const NODE_MODULE = new RegExp(
  `^(?:node:)?(?:${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`,
)

/** They exist in workerd, but CommonJS code could not `require` them there. */
const nodeModules: Plugin = {
  name: 'svc-node-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: NODE_MODULE }, ({ path, kind }) => {
      const name = path.startsWith('node:') ? path : `node:${path}`
      return kind === 'require-call' ? { path: name, namespace: 'required' } : { path: name, external: true }
    })
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `import all from ${JSON.stringify(path)}\nmodule.exports = all`,
    }))
  },
}

/** Without rules of the project: files that become separate modules, and those that become text. */
const BESIDE = /\.(?:wasm|bin)(?:\?module)?$/
const TEXT = { '.sql': 'text', '.txt': 'text', '.html': 'text' } as const
const typeOf = (file: string) => (file.endsWith('.wasm') ? 'wasm' : 'data')

/** In the words of esbuild; relative paths begin with a dot. */
const MISSING_PACKAGE = /^Could not resolve "[^./]/

/** For projects of static files only: what no file answers gets the page for that. */
export const filesOnly = (binding: string): Bundle => ({
  mainModule: MAIN,
  modules: [
    {
      name: MAIN,
      type: 'esm',
      content: base64(`export default { fetch: (request, env) => env.${binding}.fetch(request) }\n`),
    },
  ],
  map: '{"version":3,"sources":[],"names":[],"mappings":""}',
  inputs: [],
})

const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64')

/** One module of all TypeScript and JavaScript that the main file imports; WebAssembly and data stay separate modules. */
export async function bundle(
  main: string,
  folder: string,
  rules: readonly ModuleRule[] = [],
): Promise<Bundle> {
  const { build } = await import('esbuild')
  const files = new Map<string, { type: string; source: string }>()
  const ruled = (file: string) => {
    const path = relative(folder, file).split(sep).join('/')
    return rules.find(({ globs }) => globs.some((glob) => matchesGlob(path, glob)))?.type
  }
  const beside: Plugin = {
    name: 'svc-modules',
    setup(plugged) {
      const filter = rules.length > 0 ? /./ : BESIDE
      plugged.onResolve({ filter }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === 'seen' || kind === 'entry-point') return undefined
        const options = { resolveDir, kind, pluginData: 'seen' }
        const isBeside = BESIDE.test(path)
        const found = await plugged.resolve(path.replace(/\?module$/, ''), options)
        const type = ruled(found.path) ?? (isBeside ? typeOf(found.path) : undefined)
        if (type === undefined || found.external) return undefined
        if (found.errors.length > 0) return { errors: found.errors }
        if (type === 'text') return { path: found.path, namespace: 'text' }
        const name = `${files.size}-${basename(found.path)}`
        files.set(name, { type, source: found.path })
        return { path: `./${name}`, external: true }
      })
      plugged.onLoad({ filter: /./, namespace: 'text' }, ({ path }) => ({
        contents: readFileSync(path),
        loader: 'text',
      }))
    },
  }
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [main],
      absWorkingDir: folder,
      bundle: true,
      write: false,
      outfile: resolve(folder, MAIN),
      format: 'esm',
      target: 'es2024',
      conditions: CONDITIONS,
      mainFields: ['module', 'main'],
      external: ['cloudflare:*'],
      loader: TEXT,
      define: { 'process.env.NODE_ENV': '"production"' },
      jsx: 'automatic',
      keepNames: true,
      sourcemap: 'external',
      metafile: true,
      logLevel: 'silent',
      plugins: [nodeModules, beside],
    })
    if (!Object.values(metafile.outputs).some(({ exports }) => exports.includes('default')))
      throw new Failure('usage', `${main} has no default export.`, {
        fix: "Export the handlers: export default { fetch }. The older form, addEventListener('fetch', …) or app.fire(), is not supported.",
      })
    const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''
    return {
      mainModule: MAIN,
      modules: [
        { name: MAIN, type: 'esm', content: base64(textOf('.js')) },
        ...[...files].map(([name, { type, source }]) => ({
          name,
          type,
          content: base64(readFileSync(source)),
        })),
      ],
      map: textOf('.js.map'),
      inputs: Object.keys(metafile.inputs).map((path) => dirname(resolve(folder, path))),
    }
  } catch (error) {
    const { errors = [] } = error as Partial<BuildFailure>
    if (errors.length === 0) throw error
    const isNotInstalled = errors.some(({ text }) => MISSING_PACKAGE.test(text))
    throw new Failure('usage', 'The code cannot be bundled.', {
      ...(isNotInstalled && { fix: `Install the code’s packages: npm install --prefix ${folder}` }),
      details: {
        errors: errors.map(({ text, location }) => ({
          path: location ? `${location.file}:${location.line}:${location.column + 1}` : '',
          message: text,
        })),
      },
    })
  }
}
