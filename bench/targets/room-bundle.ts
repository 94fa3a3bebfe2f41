import { join } from 'node:path'

import { build } from 'esbuild'

/** The classes of `../game/rooms.ts` as one module, as a developer deploys them. */
export async function bundleOfRooms(): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../game/rooms.ts')],
    bundle: true,
    format: 'esm',
    conditions: ['source'],
    external: ['cloudflare:*'],
    write: false,
  })
  return Buffer.from(outputFiles[0]?.contents ?? [])
}
