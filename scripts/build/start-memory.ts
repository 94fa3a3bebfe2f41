import { readdir, readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'

import type { Plugin } from 'esbuild'

/**
 * Takes `node:http` without an `import`, which reads everything that it exports: also `WebSocket`, for which Node loads its `fetch`. That
 * is 60 ms of CPU time and 16 MB of memory.
 */
export const httpWithoutFetch: Plugin = {
  name: 'node:http without fetch',
  setup(build) {
    build.onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `const http = process.getBuiltinModule('${path}')\nexport const { ${PLAIN_EXPORTS} } = http\nexport default http`,
    }))
  },
}

const PLAIN_EXPORTS = Object.entries(Object.getOwnPropertyDescriptors(http))
  .filter(([, { get }]) => get === undefined)
  .map(([name]) => name)
  .join(', ')

/**
 * V8 stores a text with one character outside of Latin-1 as two bytes per character, so a bundle of 3 MB takes 6. With `charset: 'ascii'` such
 * characters are left in comments only.
 */
export async function escapeComments(folder: string) {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.js')) continue
    const path = join(folder, name)
    const text = await readFile(path, 'utf8')
    const escaped = text.replace(
      NOT_ASCII,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    if (escaped !== text) await writeFile(path, escaped)
  }
}

/** Without the flag `u`: it matches units of UTF-16, which is what `\u` takes. */
// oxlint-disable-next-line require-unicode-regexp
const NOT_ASCII = /[^\0-\x7f]/g
