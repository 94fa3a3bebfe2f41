import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import {
  downloadPackage,
  integrityOf,
  type ListedPackage,
  listPackages,
  type PackageName,
} from '../service/packages.ts'
import { writeAtomically } from './atomic-write.ts'
import { MANIFEST, readManifest, withValues } from './manifest.ts'

/** The folder of a game with the tarballs of svc, which are committed: a clone needs nothing else of svc. */
const FOLDER = '.svc'
const TARBALL = /^(svc-(?:cli|sdk))-(.+)\.tgz$/
/** What `svc` has written as a dependency, in this version and in previews. */
const OWN_DEPENDENCY = /^file:(?:\.svc\/(?:svc-(?:cli|sdk)-[^/]+\.tgz|sdk)|.*\/packages\/(?:cli|sdk))$/

export type DownloadedPackage = ListedPackage & { content: Buffer }
/** A package that was replaced; without `from` there was none. */
export type RenewedPackage = { name: PackageName; from?: string; to: string; specifier: string }

/** All packages of the service. Nothing is written. */
export async function downloadPackages(url: string): Promise<DownloadedPackage[]> {
  const listed = await listPackages(url)
  return Promise.all(listed.map(async (one) => ({ ...one, content: await downloadPackage(url, one) })))
}

/** The entries of package.json for these packages: the SDK for the code of the game, the CLI for developers. */
export function dependenciesOn(packages: readonly ListedPackage[]) {
  const entry = (name: PackageName) => {
    const found = packages.find((one) => one.name === name)
    return found ? { [name]: specifierOf(found) } : {}
  }
  return { dependencies: entry('@svc/sdk'), devDependencies: entry('@svc/cli') }
}

const specifierOf = ({ file }: ListedPackage): string => `file:${FOLDER}/${file}`

/** Writes tarballs into the folder of the game. */
export async function storePackages(
  folder: string,
  packages: readonly DownloadedPackage[],
  randomText: () => string,
) {
  await mkdir(join(folder, FOLDER), { recursive: true })
  for (const { file, content } of packages)
    await writeAtomically(join(folder, FOLDER, file), { content, randomText: randomText() })
}

/** Removes other versions of these packages, and the copy of the SDK that previews made. */
async function removeReplaced(folder: string, packages: readonly ListedPackage[]) {
  const current = new Set(packages.map(({ file }) => file))
  const names = new Set(packages.map(({ file }) => TARBALL.exec(file)?.[1]))
  for (const file of readdirSync(join(folder, FOLDER)))
    if (names.has(TARBALL.exec(file)?.[1]) && !current.has(file)) await rm(join(folder, FOLDER, file))
  await rm(join(folder, FOLDER, 'sdk'), { recursive: true, force: true })
}

/**
 * Replaces the packages that the folder depends on, if the service has others, or if the lockfile has others. `npm install` with the
 * returned files must follow: without their names, npm would keep those of the same version.
 */
export async function renewPackages(
  url: string,
  folder: string,
  randomText: () => string,
): Promise<RenewedPackage[]> {
  const manifest = readManifest(folder)
  if (!manifest) return []
  const { dependencies = {}, devDependencies = {} } = manifest.manifest
  const present = { ...devDependencies, ...dependencies }
  const isOwn = ({ name }: ListedPackage) => OWN_DEPENDENCY.test(present[name] ?? '')
  if (!Object.values(present).some((value) => OWN_DEPENDENCY.test(value))) return []

  const stale = (await listPackages(url)).filter(
    (one) =>
      isOwn(one) &&
      (present[one.name] !== specifierOf(one) || !isStored(folder, one) || !isLocked(folder, one)),
  )
  if (stale.length === 0) return []
  const downloaded = await Promise.all(
    stale.map(async (one) => ({ ...one, content: await downloadPackage(url, one) })),
  )
  await storePackages(folder, downloaded, randomText)
  const values = Object.fromEntries(stale.map((one) => [one.name, specifierOf(one)]))
  await writeAtomically(join(folder, MANIFEST), {
    content: withValues(manifest.text, values),
    randomText: randomText(),
  })
  await removeReplaced(folder, stale)
  return stale.map((one) => {
    const [, , from] = TARBALL.exec(present[one.name]?.replace(/^.*\//, '') ?? '') ?? []
    return {
      name: one.name,
      ...(from !== undefined && { from }),
      to: one.version,
      specifier: specifierOf(one),
    }
  })
}

function isStored(folder: string, { file, integrity }: ListedPackage): boolean {
  const path = join(folder, FOLDER, file)
  return existsSync(path) && integrityOf(readFileSync(path)) === integrity
}

/** Whether the lockfile, if there is one, has this content. */
function isLocked(folder: string, { name, integrity }: ListedPackage): boolean {
  const path = join(folder, 'package-lock.json')
  if (!existsSync(path)) return true
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages[`node_modules/${name}`].integrity === integrity
  } catch {
    return false
  }
}

/** `@svc/cli 0.1.0 → 0.1.1`, or that the same version has other contents. */
export const renewalText = ({ name, from, to }: RenewedPackage): string =>
  from === undefined || from === to ? `${name} ${to}` : `${name} ${from} → ${to}`
