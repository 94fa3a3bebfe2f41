import { readFileSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

type Versions = Record<string, string>
type Manifest = {
  name: string
  version: string
  description: string
  license: string
  dependencies?: Versions
  optionalDependencies?: Versions
}

/** The manifest of a folder of the repository. */
export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest

/** Writes the manifest of a package that is built into `folder`: what `source` says of it, and what only a built package has. */
export async function writeManifest(folder: string, source: string, built: object) {
  const { name, version, description, license } = manifestOf(source)
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=20' },
    ...built,
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
}
