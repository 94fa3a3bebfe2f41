import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The bundle defines it. Where the sources run, it does not exist. */
declare const BUILT: boolean | undefined
const isBuilt = typeof BUILT !== 'undefined' && BUILT

/** This package: the parent folder of `src`, and of `dist` in the bundle, whose files are all directly in it. */
const ownPackage = resolve(import.meta.dirname, '..')
/** The folder with the packages of svc: of the repository, of its build, or `node_modules/@svc`. */
const packages = resolve(ownPackage, '..')

/** The files of svc that the CLI reads, copies or starts. Other files of the CLI do not know where they are. */
export const OWN_FILES = {
  folder: ownPackage,
  manifest: join(ownPackage, 'package.json'),
  program: join(ownPackage, 'bin/svc.js'),
  /** The svc repository. */
  checkout: resolve(packages, '..'),
  serverProgram: join(packages, 'server/bin/svc-server.js'),
  examples: isBuilt ? join(ownPackage, 'dist/examples') : resolve(packages, '../examples'),
}

/** The version of this CLI. */
export const ownVersion = (): string => JSON.parse(readFileSync(OWN_FILES.manifest, 'utf8')).version
