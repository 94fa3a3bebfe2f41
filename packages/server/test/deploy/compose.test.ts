import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { settingsTable } from '../../src/settings-table.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const FILES = ['compose.yml', 'compose.grown.yml']
const EXAMPLE = readFileSync(join(ROOT, 'deploy/env.example'), 'utf8')
/** Each line of the example is a setting, also the lines that an operator enables. */
const variables = Object.fromEntries(
  [...EXAMPLE.matchAll(/^#?([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value || 'filled-in',
  ]),
)

const [compose] = findOrInstall('compose')
const folder = mkdtempSync(join(tmpdir(), 'svc-compose-'))
after(() => rmSync(folder, { recursive: true }))
for (const file of [...FILES, 'deploy']) cpSync(join(ROOT, file), join(folder, file), { recursive: true })

/** Checks a file against the schema of the Compose Specification, fills in the variables, and returns the result. */
function configOf(file: string, env: Record<string, string>) {
  writeFileSync(
    join(folder, '.env'),
    Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const { status, stdout, stderr } = spawnSync(compose, ['-f', file, 'config'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    timeout: 60_000,
  })
  return { status, stdout, stderr }
}

/** The text of each service in what `config` prints. */
function servicesOf(config: string): Map<string, string> {
  const services = /^services:\n(?<text>(?: .*\n)*)/m.exec(config)?.groups?.['text'] ?? ''
  const parts = services.split(/^ {2}(?=[\w-]+:$)/m).filter((part) => part.trim() !== '')
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part]))
}

for (const file of FILES) {
  test(`[OPS-13] ${file} is valid with the settings of deploy/env.example`, () => {
    const { status, stdout, stderr } = configOf(file, variables)
    assert.equal(status, 0, stderr)
    assert.doesNotMatch(stderr, /variable is not set/)
    const nodes = [...servicesOf(stdout)].filter(([name]) => name.startsWith('svc'))
    assert.equal(nodes.length, file === 'compose.yml' ? 1 : 2)
    for (const [name, text] of nodes) {
      for (const line of ['read_only: true', 'stop_grace_period: 60s', 'nofile: 65536', 'mem_limit: 2g'])
        assert.ok(text.includes(line), `${name}: ${line}`)
      for (const option of [
        'no-new-privileges:true',
        'seccomp:deploy/seccomp.json',
        'systempaths=unconfined',
      ])
        assert.ok(text.includes(option), `${name}: ${option}`)
      assert.match(text, /cap_drop:\n\s+- ALL\n/)
      assert.match(text, /protocol: udp/)
      assert.doesNotMatch(text, /published: 8787/, 'only Caddy reaches the port without TLS')
    }
  })

  test(`[OPS-13] ${file} names a variable that is missing`, () => {
    const { SVC_APPS_DOMAIN: _, ...others } = variables
    const { status, stderr } = configOf(file, others)
    assert.notEqual(status, 0)
    assert.match(stderr, /SVC_APPS_DOMAIN/)
  })
}

test('[OPS-13] in compose.grown.yml Caddy waits for the nodes, and the nodes wait for their engines', () => {
  const services = servicesOf(configOf('compose.grown.yml', variables).stdout)
  const waitsFor = (name: string) =>
    [...(services.get(name) ?? '').matchAll(/^ {6}([\w-]+):\n {8}condition: (service_\w+)$/gm)].map(
      ([, on, how]) => `${on}: ${how}`,
    )
  assert.deepEqual(waitsFor('caddy'), ['svc1: service_healthy', 'svc2: service_healthy'])
  for (const node of ['svc1', 'svc2'])
    assert.deepEqual(waitsFor(node).toSorted(), [
      'bucket: service_completed_successfully',
      'postgres: service_healthy',
      'redis: service_healthy',
    ])
  for (const engine of ['postgres', 'redis', 's3'])
    assert.match(services.get(engine) ?? '', /healthcheck:/, engine)
})

test('[OPS-13] deploy/env.example names settings of the service, and those of the other programs', () => {
  const known = new Set(settingsTable().map(({ name }) => name))
  const ofOthers = ['ACME_EMAIL', 'POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'S3_SECRET']
  for (const name of Object.keys(variables)) assert.ok(known.has(name) || ofOthers.includes(name), name)
})
