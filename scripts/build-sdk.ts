import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { buildSync } from 'esbuild'

/** The SDK as pages load it: one minified module per entry, without dependencies. Served by the service below `/.svc/`. */
export const SDK_FILES = {
  'sdk.js': { entry: 'index.ts', file: 'packages/sdk/built/sdk.js' },
  'sdk-p2p.js': { entry: 'p2p.ts', file: 'packages/sdk/built/sdk-p2p.js' },
  'sdk-ui.js': { entry: 'ui.ts', file: 'packages/sdk/built/sdk-ui.js' },
} as const

/** Entries of the package that no page of the service loads: `@svc/sdk/server` and `@svc/sdk/developer`. */
export const SDK_PACKAGE_FILES = {
  'server.js': { entry: 'server.ts', file: 'packages/sdk/built/server.js' },
  'developer.js': { entry: 'developer.ts', file: 'packages/sdk/built/developer.js' },
} as const

/** What a page loads that neither speaks nor plays peer to peer. */
export const SDK_GZIP_BYTES_MAX = 15 * 1024

const root = join(import.meta.dirname, '..')
export const NOTE = '/* Written by `npm run generate`; do not edit. */'

/** Path → contents. */
export function sdkFiles(): [path: string, text: string][] {
  return [...Object.values(SDK_FILES), ...Object.values(SDK_PACKAGE_FILES)].map(({ entry, file }) => [
    file,
    bundle(entry),
  ])
}

export const gzipBytes = (text: string): number => gzipSync(text, { level: 9 }).length

function bundle(entry: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'packages/sdk/src', entry)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    external: ['*/p2p.ts'],
    write: false,
    banner: { js: NOTE },
  })
  // Beside it, under the name it is served by.
  return (outputFiles[0]?.text ?? '').replace(/(["'])\.\/p2p\.ts\1/g, '"./sdk-p2p.js"')
}
