import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

import type { FunctionModule } from '@svc/contract/functions'
import type { BuildFailure, Plugin } from 'esbuild'

import { Failure } from './failure.ts'

export type Bundle = { modules: FunctionModule[]; mainModule: string; map: string; inputs: string[] }

const MAIN = 'index.js'
/** As Workers packages expect it. */
const CONDITIONS = ['workerd', 'worker', 'browser']

/** One module of all TypeScript and JavaScript that the main file imports; WebAssembly stays beside it. */
export async function bundle(main: string, folder: string): Promise<Bundle> {
  const { build } = await import('esbuild')
  const wasm = new Map<string, string>()
  const beside: Plugin = {
    name: 'svc-modules',
    setup({ onResolve }) {
      onResolve({ filter: /\.wasm(?:\?module)?$/ }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path.replace(/\?module$/, ''))
        const name = `${wasm.size}-${basename(file)}`
        wasm.set(name, file)
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
      external: ['node:*', 'cloudflare:*', ...NODE_MODULES],
      loader: { '.sql': 'text', '.txt': 'text', '.html': 'text' },
      define: { 'process.env.NODE_ENV': '"production"' },
      jsx: 'automatic',
      keepNames: true,
      sourcemap: 'external',
      metafile: true,
      logLevel: 'silent',
      plugins: [beside],
    })
    const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''
    const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64')
    return {
      mainModule: MAIN,
      modules: [
        { name: MAIN, type: 'esm', content: base64(textOf('.js')) },
        ...[...wasm].map(([name, file]) => ({ name, type: 'wasm', content: base64(readFileSync(file)) })),
      ],
      map: textOf('.js.map'),
      inputs: Object.keys(metafile.inputs).map((path) => dirname(resolve(folder, path))),
    }
  } catch (error) {
    const { errors = [] } = error as Partial<BuildFailure>
    if (errors.length === 0) throw error
    throw new Failure('usage', 'The code cannot be bundled.', {
      details: {
        errors: errors.map(({ text, location }) => ({
          path: location ? `${location.file}:${location.line}:${location.column + 1}` : '',
          message: text,
        })),
      },
    })
  }
}

/** With `nodejs_compat` they exist under these names, too. */
const NODE_MODULES = [
  'assert',
  'async_hooks',
  'buffer',
  'crypto',
  'events',
  'path',
  'process',
  'stream',
  'string_decoder',
  'url',
  'util',
  'zlib',
]
