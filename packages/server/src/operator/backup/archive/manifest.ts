import { migrations } from '../../../engines/database/migrations/index.ts'
import { compareVersions } from '../../../platform/versions.ts'
import { VERSION } from '../../../version.ts'

/** The last file of a backup: what is in it. */
export const MANIFEST = 'manifest.json'
const FORMAT = 1

export type FileFacts = { bytes: number; sha256: string }

export type Manifest = {
  format: number
  /** The version of svc that wrote it. */
  version: string
  engine: 'sqlite' | 'postgres'
  /** The last migration of the database. */
  schema: string
  /** The oldest version that can run on this schema; null if every one since 0.1.0 can. */
  oldestVersion: string | null
  installation: string
  createdAt: string
  /** Identifies the secret key that stored secrets are encrypted with; null if there was none. */
  secretKeyId: string | null
  /** Whether files of the service are in it; otherwise they are in S3. */
  hasBlobs: boolean
  /** Number of rows of each table. */
  tables: Record<string, number>
  /** Every other file, by its name. */
  files: Record<string, FileFacts>
  /** What could not be backed up, as sentences. */
  missing: string[]
}

export const newManifest = (facts: Omit<Manifest, 'format' | 'files' | 'missing'>): Manifest => ({
  format: FORMAT,
  ...facts,
  files: {},
  missing: [],
})

/** Throws one sentence if this program cannot restore it. */
export function readManifest(text: string): Manifest {
  const manifest = parsed(text)
  const { format, version, schema, oldestVersion } = manifest
  const isKnown = migrations.some(({ name }) => name === schema)
  const isUsable = isKnown || oldestVersion === null || compareVersions(VERSION, oldestVersion) >= 0
  if (format > FORMAT || !isUsable)
    throw new Error(
      `it was written by version ${version}, and this version (${VERSION}) is too old for it: restore it with ${isUsable ? version : oldestVersion} or newer`,
    )
  return manifest
}

function parsed(text: string): Manifest {
  try {
    const value = JSON.parse(text) as Manifest
    if (typeof value.format === 'number' && typeof value.files === 'object' && value.files !== null)
      return value
  } catch {
    // Not JSON: the same as any other content.
  }
  throw new Error('it is not a backup of svc: its manifest cannot be read')
}

/** The first difference between what a manifest says and what was read. */
export function differenceIn(manifest: Manifest, files: ReadonlyMap<string, FileFacts>): string | undefined {
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const found = files.get(name)
    if (!found) return `${name} is missing`
    if (found.bytes !== bytes || found.sha256 !== sha256) return `${name} is not the file that was backed up`
  }
  const extra = [...files.keys()].find((name) => !Object.hasOwn(manifest.files, name))
  return extra === undefined ? undefined : `${extra} is not in the manifest`
}
