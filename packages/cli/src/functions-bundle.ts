import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, resolve } from 'node:path'

import type { FunctionModule } from '@svc/contract/functions'
import type { BuildFailure, Plugin } from 'esbuild'

import { Failure } from './failure.ts'

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

/** Files that become separate modules, and their types. */
const BESIDE = /\.(wasm|bin)(?:\?module)?$/
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
export async function bundle(main: string, folder: string): Promise<Bundle> {
  const { build } = await import('esbuild')
  const files = new Map<string, string>()
  const beside: Plugin = {
    name: 'svc-modules',
    setup(plugged) {
      plugged.onResolve({ filter: BESIDE }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === 'seen') return undefined
        const options = { resolveDir, kind, pluginData: 'seen' }
        const found = await plugged.resolve(path.replace(/\?module$/, ''), options)
        if (found.errors.length > 0) return { errors: found.errors }
        const name = `${files.size}-${basename(found.path)}`
        files.set(name, found.path)
        return { path: `./${name}`, external: true }
      })
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
      loader: { '.sql': 'text', '.txt': 'text', '.html': 'text' },
      define: { 'process.env.NODE_ENV': '"production"' },
      jsx: 'automatic',
      keepNames: true,
      sourcemap: 'external',
      metafile: true,
      logLevel: 'silent',
      plugins: [nodeModules, beside],
    })
    const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''
    return {
      mainModule: MAIN,
      modules: [
        { name: MAIN, type: 'esm', content: base64(textOf('.js')) },
        ...[...files].map(([name, file]) => ({
          name,
          type: typeOf(file),
          content: base64(readFileSync(file)),
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
      ...(isNotInstalled && { fix: `Install the packages of the code: npm install --prefix ${folder}` }),
      details: {
        errors: errors.map(({ text, location }) => ({
          path: location ? `${location.file}:${location.line}:${location.column + 1}` : '',
          message: text,
        })),
      },
    })
  }
}
