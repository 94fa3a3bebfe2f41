import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { build, type BuildOptions, stop } from 'esbuild'

import { upToDateFolder as dashboardFolder } from '../../packages/dashboard/build.ts'
import { upToDateFolder as sdkFolder } from '../../packages/sdk/build.ts'
import { writeLicences } from './licences.ts'
import { manifestOf, writeManifest } from './manifests.ts'
import { escapeComments, httpWithoutFetch } from './start-memory.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SOURCE = join(ROOT, 'packages/server/src')

/** Packages with machine code. All others are part of the bundle. */
export const NOT_BUNDLED = ['@takumi-rs/core', 'node-datachannel']

/** What programs for Node have in common: one ES module per entry and shared parts beside it. */
export const PROGRAM = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node26',
  charset: 'utf8',
  conditions: ['source'],
  // `own-files.ts` asks for it.
  define: { BUILT: 'true' },
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  // Packages in the old format of Node call it.
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)`,
  },
} as const satisfies BuildOptions

/**
 * Writes the package of the service into a folder. `dist` is flat, because `own-files.ts` finds everything from its own folder.
 * `isForPackage`: with a copy of the docs, in place of a link to them. `step` is called with the name of each step.
 */
export async function buildServer(
  folder: string,
  { isForPackage, step = () => {} }: { isForPackage: boolean; step?: (name: string) => void },
) {
  const dist = join(folder, 'dist')
  await rm(folder, { recursive: true, force: true })
  await mkdir(dist, { recursive: true })
  const external = [...NOT_BUNDLED, 'pg-native', '@svc/dashboard/build', '@svc/sdk/build']
  const entry = (path: string) => join(SOURCE, path)
  step('service')
  const results = [
    await build({
      ...PROGRAM,
      charset: 'ascii',
      plugins: [httpWithoutFetch],
      external,
      splitting: true,
      outdir: dist,
      entryNames: '[name]',
      chunkNames: 'part-[hash]',
      entryPoints: [
        entry('main.ts'),
        entry('engines/database/sqlite/checkpoints-worker.ts'),
        entry('engines/database/sqlite/scans-worker.ts'),
        entry('operator/backup/wal/ship-worker.ts'),
        entry('engines/cards/takumi-process.ts'),
        entry('engines/functions/workerd/process/launcher-process.ts'),
        entry('engines/functions/workerd/network/egress-process.ts'),
        entry('operator/backup/backup-process.ts'),
      ],
    }),
    // In a folder of its own, because it may read nothing else.
    await build({
      ...PROGRAM,
      external,
      outdir: join(dist, 'relay'),
      entryPoints: [entry('engines/sfu/child/main.ts')],
    }),
  ]
  // Scripts for workerd: each stays a file, without its types.
  const workers = entry('engines/functions/workerd/workers')
  const scripts = (await readdir(workers)).filter((name) => name.endsWith('.ts') && name !== 'runtime.ts')
  await build({
    entryPoints: scripts.map((name) => join(workers, name)),
    outdir: join(dist, 'workers'),
    format: 'esm',
    target: 'esnext',
  })
  // What runs rooms inside workerd is part of the SDK, where it can be tested without workerd.
  await build({
    entryPoints: [join(ROOT, 'packages/sdk/src/room/runtime.ts')],
    outdir: join(dist, 'workers/room'),
    bundle: true,
    format: 'esm',
    target: 'esnext',
  })
  // Otherwise its helper process would keep running.
  await stop()
  await escapeComments(dist)
  await cp(entry('engines/cards/fonts'), join(dist, 'fonts'), { recursive: true })
  // What pages load, and its types.
  step('SDK')
  const sdk = await sdkFolder()
  for (const name of await readdir(sdk))
    if (name.startsWith('sdk')) await cp(join(sdk, name), join(dist, 'sdk', name))
  step('dashboard')
  await cp(await dashboardFolder(), join(dist, 'dashboard'), { recursive: true })
  if (isForPackage) await cp(join(ROOT, 'docs'), join(dist, 'docs'), { recursive: true })
  else await symlink(join(ROOT, 'docs'), join(dist, 'docs'), 'junction')
  step('licenses')
  await writeLicences(
    ROOT,
    dist,
    results.flatMap(({ metafile }) => Object.keys(metafile.inputs)),
  )
  for (const file of ['on-node-26.js', 'svc-server.js'])
    await cp(join(ROOT, 'packages/server/bin', file), join(folder, 'bin', file))
  await cp(join(ROOT, 'packages/server/README.md'), join(folder, 'README.md'))
  const { dependencies, optionalDependencies } = manifestOf('packages/server')
  await writeManifest(folder, 'packages/server', {
    bin: { 'svc-server': 'bin/svc-server.js' },
    files: ['bin', 'dist'],
    dependencies: Object.fromEntries(NOT_BUNDLED.map((name) => [name, dependencies?.[name]])),
    // Functions run in workerd; Node 26 is for machines with an older one.
    optionalDependencies: { ...optionalDependencies, ...manifestOf('.').optionalDependencies },
  })
}
