import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { VERSION } from '../../src/version.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const lastStage = DOCKERFILE.slice(DOCKERFILE.lastIndexOf('\nFROM '))
/** The instructions of the image itself, with continued lines joined. */
const instructions = lastStage
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')

// `deploy/image.ts` builds and runs the image: npm run test:long -- image
test('[OPS-14] the image runs as 10001, without npm, is healthy by /healthz, and stops by SIGTERM', () => {
  const valueOf = (name: string) => instructions.filter((line) => line.startsWith(`${name} `)).join()
  assert.equal(valueOf('FROM'), 'FROM debian:12-slim')
  assert.equal(valueOf('USER'), 'USER 10001:10001')
  assert.equal(valueOf('VOLUME'), 'VOLUME /data')
  assert.equal(valueOf('STOPSIGNAL'), 'STOPSIGNAL SIGTERM')
  assert.equal(valueOf('ENTRYPOINT'), 'ENTRYPOINT ["/usr/bin/tini", "--", "svc-server"]')
  assert.match(valueOf('HEALTHCHECK'), /CMD \["node", .*\/healthz/)
  assert.match(valueOf('ENV'), /\bSVC_BILLING=off\b/)
  assert.doesNotMatch(lastStage, /\bnpm\b|curl/)
})

test('[OPS-14] the labels and the compose files name this version', () => {
  assert.match(lastStage, RegExp(`org.opencontainers.image.version="${RegExp.escape(VERSION)}"`))
  for (const file of ['compose.yml', 'compose.grown.yml'])
    assert.match(readFileSync(join(ROOT, file), 'utf8'), RegExp(`image: svc:${RegExp.escape(VERSION)}\n`))
})

test('[OPS-14] containers may make the system calls that the systemd unit allows', () => {
  const [analyze] = findOrInstall('systemd')
  const namesIn = (group: string): string[] =>
    execFileSync(analyze, ['syscall-filter', '--no-pager', group], { encoding: 'utf8' })
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((name) => (name.startsWith('@') ? namesIn(name) : [name]))
  const { defaultAction, syscalls } = JSON.parse(readFileSync(join(ROOT, 'deploy/seccomp.json'), 'utf8'))
  assert.equal(defaultAction, 'SCMP_ACT_ERRNO')
  const allowed = new Set<string>(syscalls.flatMap(({ names }: { names: string[] }) => names))
  const missing = [...namesIn('@system-service'), ...namesIn('@mount'), 'sethostname'].filter(
    (name) => !allowed.has(name),
  )
  assert.deepEqual(missing, [])
})
