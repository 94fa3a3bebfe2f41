import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'

import { sbomOf } from './sbom.ts'
import { nextVersions, releasedChangelog, unreleasedText, versionProblem, withVersion } from './versions.ts'

const PROGRAM = resolve(import.meta.dirname, '../release.ts')
const FIRST = '# Changelog\n\n## 0.1.0 (unreleased)\n\n### Added\n\n- All.\n'
const LATER = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.9 (2026-11-17)\n\n- Old.\n'

function repository(t: TestContext, files: Record<string, object | string>) {
  const root = mkdtempSync(join(tmpdir(), 'release-'))
  t.after(() => rmSync(root, { recursive: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(
      join(root, path),
      typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
    )
  }
  return root
}

const FILES = {
  'CHANGELOG.md': LATER,
  'compose.yml': '    image: svc:0.1.9\n',
  Dockerfile: 'LABEL org.opencontainers.image.version="0.1.9" \\\n',
  'README.md': '  svc 0.1.9  ready in 1.0 s\n',
  'docs/guide/releases.md': 'npm install svc-server-0.1.9.tgz, once 0.1.9\n',
  'package.json': { name: 'svc', version: '0.1.9' },
  'packages/cli/package.json': {
    name: '@svc/cli',
    version: '0.1.9',
    dependencies: { '@svc/sdk': '0.1.9', esbuild: '0.1.9' },
  },
  'packages/cli/README.md': 'svc-cli-0.1.9.tgz\n',
  'packages/server/src/version.ts': `export const VERSION = '0.1.9'\n`,
  'package-lock.json': {
    name: 'svc',
    version: '0.1.9',
    packages: {
      '': { name: 'svc', version: '0.1.9' },
      'node_modules/esbuild': { version: '0.1.9' },
      'packages/cli': { version: '0.1.9', dependencies: { '@svc/sdk': '0.1.9', esbuild: '0.1.9' } },
    },
  },
}

test('[OPS-05] the next version is the next patch, minor or major one; the first release is the version of the packages', () => {
  assert.deepEqual(nextVersions('0.1.9'), ['0.1.10', '0.2.0', '1.0.0'])
  assert.equal(versionProblem('0.1.0', FIRST, '0.1.0'), undefined)
  assert.match(versionProblem('0.1.1', FIRST, '0.1.0') ?? '', /The first release is 0\.1\.0\.$/)
  for (const allowed of ['0.1.10', '0.2.0', '1.0.0'])
    assert.equal(versionProblem(allowed, LATER, '0.1.9'), undefined)
  for (const refused of ['', '0.1.9', '0.1.11', '0.2.1', '0.3.0', '2.0.0', 'v0.2.0', '0.2.0-rc.1', '0.2'])
    assert.match(
      versionProblem(refused, LATER, '0.1.9') ?? '',
      /comes 0\.1\.10 or 0\.2\.0 or 1\.0\.0\.$/,
      refused,
    )
})

test('[OPS-05] the unreleased part of the changelog becomes the version with its date', () => {
  assert.equal(
    releasedChangelog(FIRST, '0.1.0', '2026-11-18'),
    '# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-11-18)\n\n### Added\n\n- All.\n',
  )
  const later = releasedChangelog(LATER, '0.2.0', '2026-12-01')
  assert.match(later, /^## Unreleased\n\n## 0\.2\.0 \(2026-12-01\)\n\n- New\.\n\n## 0\.1\.9 \(2026-11-17\)$/m)
  assert.deepEqual([unreleasedText(LATER), unreleasedText(later)], ['- New.', ''])
  assert.throws(() => releasedChangelog(later, '0.2.1', '2026-12-02'), /is empty/)
})

test('[OPS-05] all packages, the lockfile and the documents get the version, and packages of others keep theirs', (t) => {
  const files = withVersion(repository(t, FILES), '0.2.0')
  assert.deepEqual([...files.keys()].toSorted(), [
    'Dockerfile',
    'README.md',
    'compose.yml',
    'docs/guide/releases.md',
    'package-lock.json',
    'package.json',
    'packages/cli/README.md',
    'packages/cli/package.json',
    'packages/server/src/version.ts',
  ])
  const cli = JSON.parse(files.get('packages/cli/package.json') ?? '')
  assert.deepEqual([cli.version, cli.dependencies], ['0.2.0', { '@svc/sdk': '0.2.0', esbuild: '0.1.9' }])
  const { version, packages } = JSON.parse(files.get('package-lock.json') ?? '')
  const { dependencies } = cli
  assert.deepEqual([version, packages[''].version], ['0.2.0', '0.2.0'])
  assert.deepEqual(packages['packages/cli'], { version: '0.2.0', dependencies })
  assert.equal(packages['node_modules/esbuild'].version, '0.1.9')
  assert.equal(files.get('compose.yml'), '    image: svc:0.2.0\n')
  assert.equal(files.get('Dockerfile'), 'LABEL org.opencontainers.image.version="0.2.0" \\\n')
  assert.equal(files.get('docs/guide/releases.md'), 'npm install svc-server-0.2.0.tgz, once 0.1.9\n')
})

test('[OPS-05] a release refuses a wrong version, an unknown option and changes that are not committed; a dry run changes nothing', (t) => {
  const root = repository(t, FILES)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: root,
      encoding: 'utf8',
    })
  git('init', '-q')
  git('add', '--all')
  git('commit', '-q', '-m', 'files')
  const release = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: root,
      encoding: 'utf8',
    })
    return { status, stdout, stderr: stderr.trim() }
  }
  assert.match(
    release('0.3.0', '--dry-run').stderr,
    /^0\.3\.0 cannot be released\. After 0\.1\.9 comes .*\.$/,
  )
  assert.match(release().stderr, /^Add the version: npm run release -- <version>\. After 0\.1\.9 comes .*\.$/)
  assert.match(release('0.2.0', '--force').stderr, /^There is no option --force\. Use: npm run release/)

  const { status, stdout } = release('0.2.0', '--dry-run')
  assert.equal(status, 0)
  assert.match(stdout, /^0\.2\.0 changes .*package-lock\.json[^]*- New\.\n\nNothing was changed\.\n$/)
  assert.equal(git('status', '--porcelain'), '')

  writeFileSync(join(root, 'new.txt'), '')
  const dirty = release('0.2.0', '--dry-run')
  assert.deepEqual(
    [dirty.status, dirty.stderr],
    [1, 'There are changes that are not committed. Commit them first.'],
  )
})

test('[OPS-06] the list of parts has what is bundled and what npm installs, with licences and hashes', (t) => {
  const lockfile = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8'))
  const { version = '' } = lockfile.packages['node_modules/fastify']
  const build = repository(t, {
    'server/package.json': {
      name: '@svc/server',
      license: 'Apache-2.0',
      dependencies: { 'node-datachannel': '*' },
    },
    'server/dist/parts.json': [{ name: 'fastify', version, license: 'MIT' }],
    'server/dist/dashboard/parts.json': [
      { name: '@preact/signals', version: '2.0.0', license: '(MIT OR Apache-2.0)' },
    ],
  })
  const { components, dependencies } = sbomOf(build, lockfile, {
    version: '0.1.0',
    timestamp: '2026-11-17T00:00:00Z',
  })
  const named = (name: string) => components.find((one) => one.name === name)
  assert.deepEqual(named('fastify')?.licenses, [{ license: { id: 'MIT' } }])
  assert.deepEqual(named('signals')?.licenses, [{ expression: '(MIT OR Apache-2.0)' }])
  assert.deepEqual(named('node-datachannel')?.licenses, [{ license: { name: 'MPL 2.0' } }])
  assert.match(named('fastify')?.hashes?.[0].content ?? '', /^[0-9a-f]{128}$/)
  assert.equal(named('signals')?.purl, 'pkg:npm/%40preact/signals@2.0.0')
  assert.ok(named('detect-libc'), 'a dependency of a dependency')
  const [own] = dependencies
  assert.equal(own?.ref, 'pkg:npm/%40svc/server@0.1.0')
  assert.equal(own?.dependsOn.length, components.length - 1)
  const nameless = repository(t, { 'sdk/package.json': { name: '@svc/sdk' } })
  assert.throws(
    () => sbomOf(nameless, lockfile, { version: '0.1.0', timestamp: '' }),
    /@svc\/sdk 0\.1\.0 names no licence/,
  )
})
