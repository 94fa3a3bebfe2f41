import { cp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { build } from 'esbuild'

import { writeLicences } from './licences.ts'
import { manifestOf, writeManifest } from './manifests.ts'
import { PROGRAM } from './server.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** It has machine code. Nothing else of svc is a dependency: npm would look for it in its registry. */
const NOT_BUNDLED = ['esbuild']

/** Writes the package of the command `svc` into a folder. */
export async function buildCli(folder: string) {
  const dist = join(folder, 'dist')
  await rm(folder, { recursive: true, force: true })
  const { metafile } = await build({
    ...PROGRAM,
    external: NOT_BUNDLED,
    // Games run it on their own Node. They keep it in their repository, so it has no source maps.
    target: 'node20',
    sourcemap: false,
    splitting: true,
    outdir: dist,
    entryNames: '[name]',
    chunkNames: 'part-[hash]',
    entryPoints: [join(ROOT, 'packages/cli/src/main.ts')],
  })
  await cp(join(ROOT, 'examples'), join(dist, 'examples'), {
    recursive: true,
    // `existing-game` is no template of `svc new`.
    filter: (path) => !/node_modules|\.svc$|\.test\.ts$|\/existing-game$/.test(path),
  })
  await writeLicences(ROOT, dist, Object.keys(metafile.inputs))
  await cp(join(ROOT, 'packages/cli/bin/svc.js'), join(folder, 'bin/svc.js'))
  await cp(join(ROOT, 'packages/cli/svc.config.schema.json'), join(folder, 'svc.config.schema.json'))
  await cp(join(ROOT, 'packages/cli/README.md'), join(folder, 'README.md'))
  const { dependencies } = manifestOf('packages/cli')
  await writeManifest(folder, 'packages/cli', {
    bin: { svc: 'bin/svc.js' },
    files: ['bin', 'dist', 'svc.config.schema.json'],
    dependencies: Object.fromEntries(NOT_BUNDLED.map((name) => [name, dependencies?.[name]])),
  })
}
