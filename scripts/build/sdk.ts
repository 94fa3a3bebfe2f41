import { cp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { upToDateFolder } from '../../packages/sdk/build.ts'
import { writeManifest } from './manifests.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const ENTRIES = {
  '.': 'sdk',
  './server': 'server',
  './developer': 'developer',
  './room': 'room',
  './room/test': 'room-test',
  './ui': 'sdk-ui',
}

/** Writes the package of the SDK into a folder. */
export async function buildSdk(folder: string) {
  await rm(folder, { recursive: true, force: true })
  await cp(await upToDateFolder(), join(folder, 'dist'), { recursive: true })
  await cp(join(ROOT, 'packages/sdk/README.md'), join(folder, 'README.md'))
  const exports = Object.entries(ENTRIES).map(([path, file]) => [
    path,
    { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
  ])
  await writeManifest(folder, 'packages/sdk', {
    sideEffects: false,
    files: ['dist'],
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
  })
}
