import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Versions = Record<string, string>
type Manifest = { version?: string; dependencies?: Versions; devDependencies?: Versions }

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/
const RELEASED = /^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/m
const UNRELEASED = /^## (?:Unreleased|(\d+\.\d+\.\d+) \(unreleased\))$/m

/** The versions that may follow: the next patch, minor and major version. */
export function nextVersions(version: string): string[] {
  const [major = 0, minor = 0, patch = 0] = (VERSION.exec(version) ?? []).slice(1).map(Number)
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`]
}

/** Why a version cannot be released now; undefined if it can. Before the first release only the version of the packages can. */
export function versionProblem(version: string, changelog: string, current: string): string | undefined {
  const last = RELEASED.exec(changelog)?.[1]
  const allowed = last === undefined ? [current] : nextVersions(last)
  if (allowed.includes(version)) return undefined
  const after = last === undefined ? 'The first release is' : `After ${last} comes`
  const why =
    version === '' ? 'Add the version: npm run release -- <version>' : `${version} cannot be released`
  return `${why}. ${after} ${allowed.join(' or ')}.`
}

/** The changelog with its unreleased part as this version, and a new unreleased part before it. */
export function releasedChangelog(changelog: string, version: string, date: string): string {
  const found = UNRELEASED.exec(changelog)
  if (!found) throw new Error('CHANGELOG.md has no part "## Unreleased".')
  if (unreleasedText(changelog) === '') throw new Error('The part "Unreleased" of CHANGELOG.md is empty.')
  return changelog.replace(UNRELEASED, `## Unreleased\n\n## ${version} (${date})`)
}

/** What the next release contains. */
export function unreleasedText(changelog: string): string {
  const [, after = ''] = changelog.split(UNRELEASED.exec(changelog)?.[0] ?? '\0')
  return (after.split(/^## /m)[0] ?? '').trim()
}

/** The files that contain the version, with the new one. Files that stay as they are are left out. */
export function withVersion(root: string, version: string): Map<string, string> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const files = new Map<string, string>()
  const manifests = ['package.json', ...globSync('packages/*/package.json', { cwd: root })]
  for (const path of manifests) files.set(path, json(withOwnVersion(JSON.parse(read(path)), version)))

  const lock = JSON.parse(read('package-lock.json')) as Manifest & { packages: Record<string, Manifest> }
  lock.version = version
  for (const [path, entry] of Object.entries(lock.packages))
    if (path === '' || /^packages\/[^/]+$/.test(path)) withOwnVersion(entry, version)
  files.set('package-lock.json', json(lock))

  files.set('packages/server/src/version.ts', `export const VERSION = '${version}'\n`)
  const documents = ['README.md', 'Dockerfile', 'compose*.yml', 'packages/*/README.md', 'docs/guide/*.md']
  for (const path of globSync(documents, { cwd: root }))
    files.set(
      path,
      read(path)
        .replace(/(?<=^ *image: svc:)\d+\.\d+\.\d+$/gm, version)
        .replace(/(?<=org\.opencontainers\.image\.version=")[^"]*/, version)
        .replace(/(?<=svc-(?:cli|sdk|server)-)\d+\.\d+\.\d+(?=\.tgz)/g, version)
        .replace(/^( {2}svc )\d+\.\d+\.\d+(?= {2}ready in)/gm, `$1${version}`),
    )
  return new Map([...files].filter(([path, text]) => text !== read(path)))
}

/** Writes files below a folder. */
export function writeFiles(root: string, files: ReadonlyMap<string, string>) {
  for (const [path, text] of files) writeFileSync(join(root, path), text)
}

/** The version of a package, and of the packages of svc that it depends on. */
function withOwnVersion(manifest: Manifest, version: string): Manifest {
  manifest.version = version
  for (const needed of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(needed ?? {}))
      if (needed && name.startsWith('@svc/')) needed[name] = version
  return manifest
}

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`
