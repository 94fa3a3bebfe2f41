import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  releasedChangelog,
  unreleasedText,
  versionProblem,
  withVersion,
  writeFiles,
} from './release/versions.ts'

/**
 * npm run release -- <version> [--dry-run]
 *
 * Sets the version everywhere, writes the date into the changelog, the API and the databases of the release for tests, and packs the packages into `release/<version>`, with checksums and a
 * list of their parts and licences. It commits and publishes nothing.
 */
const root = process.cwd()
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const args = process.argv.slice(2)
const unknown = args.find((one) => one.startsWith('-') && one !== '--dry-run')
if (unknown !== undefined)
  fail(`There is no option ${unknown}. Use: npm run release -- <version> [--dry-run]`, 2)
const isDryRun = args.includes('--dry-run')
const version = args.find((one) => !one.startsWith('-')) ?? ''

const changelog = read('CHANGELOG.md')
const problem = versionProblem(version, changelog, JSON.parse(read('package.json')).version)
if (problem !== undefined) fail(problem, 2)
if (git('status', '--porcelain') !== '') fail('There are changes that are not committed. Commit them first.')
const target = join(root, 'release', version)
if (existsSync(target)) fail(`${target} exists already. Remove it first.`)
if (unreleasedText(changelog) === '') fail('The unreleased part of CHANGELOG.md is empty.')

const now = new Date().toISOString()
const files = withVersion(root, version)
files.set('CHANGELOG.md', releasedChangelog(changelog, version, now.slice(0, 10)))
console.log(`${version} changes ${[...files.keys()].join(', ')}`)
if (isDryRun) {
  console.log(`It contains:\n\n${unreleasedText(changelog)}\n\nNothing was changed.`)
  process.exit()
}

writeFiles(root, files)
// The API that this version promises; later versions are compared with it.
const lines = execFileSync(process.execPath, ['--conditions=source', 'packages/server/test/api-lines.ts'], {
  cwd: root,
  maxBuffer: 64 * 1024 * 1024,
})
writeFileSync(join(root, 'packages/server/test/released-api.txt'), lines)
execFileSync(process.execPath, ['--conditions=source', 'scripts/generate.ts'], {
  cwd: root,
  stdio: 'inherit',
})
// Its databases; later versions must migrate them.
execFileSync(process.execPath, ['--conditions=source', 'packages/server/test/releases/write.ts'], {
  cwd: root,
  stdio: 'inherit',
})
await writePackages()
console.log(`
release/${version} contains the packages, SHA256SUMS and the list of parts. Check them, then run:

  npm run check && npm test
  git add --all
  git commit --message "Release ${version}"
  git tag --annotate v${version} --message "svc ${version}"
  git push --follow-tags

To undo: git checkout . && git clean -d --force packages && rm -r release/${version}`)

/** Imported late: the builder reads the version. */
async function writePackages() {
  const { buildPackages } = await import('./build/packages.ts')
  const { pack } = await import('./build/tarballs.ts')
  const { sbomOf } = await import('./release/sbom.ts')
  const build = mkdtempSync(join(tmpdir(), 'svc-release-'))
  try {
    await buildPackages(build)
    mkdirSync(target, { recursive: true })
    const names: string[] = []
    for (const name of ['server', 'cli', 'sdk']) names.push(await pack(join(build, name), target))
    const sbom = sbomOf(build, JSON.parse(read('package-lock.json')), { version, timestamp: now })
    const sbomFile = `svc-${version}.cdx.json`
    writeFileSync(join(target, sbomFile), `${JSON.stringify(sbom, null, 2)}\n`)
    const sums = [...names, sbomFile].map(
      (name) => `${hash('sha256', readFileSync(join(target, name)))}  ${name}\n`,
    )
    writeFileSync(join(target, 'SHA256SUMS'), sums.join(''))
  } finally {
    rmSync(build, { recursive: true, force: true })
  }
}

function git(...command: string[]): string {
  return execFileSync('git', command, { cwd: root, encoding: 'utf8' }).trim()
}

function fail(message: string, code = 1): never {
  console.error(message)
  process.exit(code)
}
