import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Part } from '../build/licences.ts'

type Locked = {
  version?: string
  license?: string
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
type Lockfile = { packages: Record<string, Locked> }
type Component = {
  type: 'library' | 'application'
  'bom-ref': string
  group?: string
  name: string
  version: string
  purl: string
  licenses: [{ expression: string }]
  hashes?: [{ alg: string; content: string }]
}

/**
 * The parts of the built packages and their licences, as a CycloneDX document: what is inside them (`parts.json`, which the build writes)
 * and what npm installs with them, for all platforms, by the lockfile.
 */
export function sbomOf(
  build: string,
  lockfile: Lockfile,
  { version, timestamp }: { version: string; timestamp: string },
) {
  const components = new Map<string, Component>()
  const dependencies: { ref: string; dependsOn: string[] }[] = []

  for (const path of globSync('*/package.json', { cwd: build }).toSorted()) {
    const home = dirname(join(build, path))
    const manifest = JSON.parse(readFileSync(join(build, path), 'utf8')) as Locked & { name: string }
    const own = componentOf({ name: manifest.name, version, license: manifest.license ?? '' }, 'application')
    components.set(own['bom-ref'], own)
    const parts = [...bundled(home), ...installed(manifest, lockfile)].map((part) =>
      componentOf(part, 'library', integrityOf(part, lockfile)),
    )
    for (const part of parts) components.set(part['bom-ref'], part)
    dependencies.push({
      ref: own['bom-ref'],
      dependsOn: [...new Set(parts.map((part) => part['bom-ref']))].toSorted(),
    })
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp,
      component: { type: 'application', 'bom-ref': 'svc', name: 'svc', version },
    },
    components: [...components.values()].toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
    dependencies,
  }
}

/** What the bundles of a package contain. */
const bundled = (home: string): Part[] =>
  globSync('**/parts.json', { cwd: home }).flatMap(
    (path) => JSON.parse(readFileSync(join(home, path), 'utf8')) as Part[],
  )

/** What npm installs with a package, with everything that this needs. */
function installed(manifest: Locked, { packages }: Lockfile): Part[] {
  const found = new Map<string, Part>()
  const visit = (name: string) => {
    const locked = packages[`node_modules/${name}`]
    if (!locked || found.has(name)) return
    found.set(name, { name, version: locked.version ?? '', license: locked.license ?? '' })
    for (const needed of neededBy(locked)) visit(needed)
  }
  for (const name of neededBy(manifest)) visit(name)
  return [...found.values()]
}

const neededBy = ({ dependencies, optionalDependencies }: Locked): string[] =>
  Object.keys({ ...dependencies, ...optionalDependencies })

const integrityOf = ({ name, version }: Part, { packages }: Lockfile): string | undefined =>
  Object.entries(packages).find(
    ([path, locked]) => path.endsWith(`node_modules/${name}`) && locked.version === version,
  )?.[1].integrity

function componentOf({ name, version, license }: Part, type: Component['type'], integrity = ''): Component {
  if (license === '') throw new Error(`${name} ${version} names no licence.`)
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [, sha512] = /^sha512-(\S+)$/.exec(integrity) ?? []
  return {
    type,
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name: short ?? name,
    version,
    purl,
    licenses: [{ expression: license }],
    ...(sha512 !== undefined && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
    }),
  }
}
