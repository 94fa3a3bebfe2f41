import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

import { freePort } from '../../../../scripts/free-port.ts'
import { deploymentOf } from '../../src/testing/deployed-functions.ts'
import { callerOf } from '../server-process.ts'
import { openPodman, type Podman } from './podman.ts'

/**
 * Builds the image of the Dockerfile and runs it with the options of `compose.yml`; then runs the same program with the systemd unit,
 * in a container whose first process is systemd. In both a function must answer. As root, for about ten minutes:
 *
 *     node --conditions=source packages/server/test/deploy/image.ts
 */
const ROOT = join(import.meta.dirname, '../../../..')
const IMAGE = 'localhost/svc:test'
const START_TIMEOUT_MS = 120_000
const FUNCTION = `export default { fetch: () => new Response('hello') }`
const ACCOUNT = { email: 'ada@example.com', password: 'correct horse' }

/** Podman raises limits that only some accounts may raise. */
const openFilesMax = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
const LIMITS = [
  `--ulimit=nofile=${openFilesMax}:${openFilesMax}`,
  '--ulimit=nproc=4096:4096',
  '--network=host',
]
/** What `compose.yml` says, in the words of Podman. */
const OPTIONS = [
  '--read-only',
  '--tmpfs=/tmp:size=512m,mode=1777',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  `--security-opt=seccomp=${join(ROOT, 'deploy/seccomp.json')}`,
  '--security-opt=unmask=ALL',
  '--memory=2g',
]
const settingsOn = (port: number) => ({
  PORT: String(port),
  TURN_PORT: '0',
  VOICE_PORT: '0',
  PUBLIC_IP: '127.0.0.1',
  SVC_BASE_URL: 'https://api.example.com',
  SVC_APPS_DOMAIN: 'apps.example.com',
  SVC_TRUSTED_PROXIES: '1',
  SVC_SIGN_UP: 'open',
  SVC_BILLING: 'off',
})

async function ready(port: number): Promise<void> {
  for (const deadline = performance.now() + START_TIMEOUT_MS; ; await pause(200)) {
    const { body } = await callerOf({ port })('GET', '/readyz').catch(() => ({ body: undefined }))
    if (body?.status === 'ok') return assert.equal(body.functionsSandbox, 'bubblewrap')
    if (performance.now() > deadline) throw new Error(`not ready: ${JSON.stringify(body)}`)
  }
}

async function visit(port: number, host: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  request({ host: '127.0.0.1', port, headers: { host } }, (answer) => void text(answer).then(resolve, reject))
    .on('error', reject)
    .end()
  return promise
}

/** Deploys a function with a new account, and returns its host. */
async function deployFunction(port: number): Promise<string> {
  const call = callerOf({ port })
  const { token } = (await call('POST', '/v1/developers/signup', { body: ACCOUNT })).body
  const { body } = await call('POST', '/v1/projects', { token, body: { name: 'Star Duel' } })
  const { key } = body.keys.find(({ type }: { type: string }) => type === 'secret')
  await call('POST', '/v1/admin/functions/enable', { key, body: {} })
  const deployed = await call('POST', '/v1/admin/functions/deployments', {
    key,
    body: deploymentOf(FUNCTION),
  })
  assert.equal(deployed.status, 201, JSON.stringify(deployed.body))
  return new URL(deployed.body.url).host
}

async function runImage({ podman }: Podman) {
  const port = await freePort()
  const env = Object.entries(settingsOn(port)).map(([name, value]) => `--env=${name}=${value}`)
  podman('run', '--detach', '--name=svc', '--pull=never', ...LIMITS, ...OPTIONS, ...env, IMAGE)
  await ready(port)
  podman('healthcheck', 'run', 'svc')
  assert.equal(podman('exec', 'svc', 'id', '-u'), '10001')
  assert.throws(() => podman('exec', 'svc', 'touch', '/app/x'), /Read-only file system/)
  assert.throws(() => podman('exec', 'svc', 'npm', '--version'))
  assert.match(podman('exec', 'svc', 'pg_dump', '--version'), /PostgreSQL/)
  const host = await deployFunction(port)
  assert.equal(await visit(port, host), 'hello')
  assert.match(podman('exec', 'svc', 'svc-server', 'developers', 'list'), /ada@example\.com/)

  podman('stop', '--time=60', 'svc')
  assert.equal(podman('inspect', 'svc', '--format={{.State.ExitCode}}'), '0')
  podman('start', 'svc')
  await ready(port)
  assert.equal(await visit(port, host), 'hello', 'the data was kept')
  podman('rm', '--force', 'svc')
  console.log(
    `image: ${podman('image', 'inspect', IMAGE, '--format={{.Size}}')} bytes; it runs, stops and starts again`,
  )
}

async function runUnit({ podman, build, folder }: Podman) {
  const context = join(folder, 'unit')
  mkdirSync(context)
  const port = await freePort()
  const lines = Object.entries(settingsOn(port)).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(context, 'svc.env'), lines.join(''))
  for (const file of ['svc.service', 'svc-server'])
    writeFileSync(join(context, file), readFileSync(join(ROOT, 'deploy', file)))
  // The packages are where npm would install them.
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM ${IMAGE}
USER 0
RUN apt-get update && apt-get install -y --no-install-recommends dbus systemd systemd-sysv
RUN mkdir -p /opt/svc/node_modules/.bin /etc/svc && ln -s /app/bin/svc-server.js /opt/svc/node_modules/.bin/svc-server \\
 && ln -s /app/node_modules/node-linux-* /opt/svc/node_modules/
COPY svc.env /etc/svc/
COPY svc.service /etc/systemd/system/
COPY --chmod=755 svc-server /usr/bin/svc-server
RUN systemctl enable svc
VOLUME /var/lib/svc
ENTRYPOINT ["/sbin/init"]
`,
  )
  build(context, join(context, 'Dockerfile'), 'localhost/svc-unit:test')
  const options = ['--privileged', '--systemd=always', '--user=0', ...LIMITS]
  podman('run', '--detach', '--name=unit', '--pull=never', ...options, 'localhost/svc-unit:test')
  await ready(port)
  assert.equal(await visit(port, await deployFunction(port)), 'hello')
  assert.match(podman('exec', 'unit', '/usr/bin/svc-server', 'developers', 'list'), /ada@example\.com/)
  const pid = podman('exec', 'unit', 'systemctl', 'show', 'svc', '--property=MainPID', '--value')
  podman('exec', 'unit', 'kill', '-KILL', pid)
  await ready(port)
  podman('exec', 'unit', 'systemctl', 'stop', 'svc')
  assert.equal(podman('exec', 'unit', 'systemctl', 'show', 'svc', '--property=Result', '--value'), 'success')
  console.log('unit: the service runs functions, starts again after kill -9, and stops')
}

const podman = openPodman()
try {
  podman.createBase()
  podman.build(ROOT, join(ROOT, 'Dockerfile'), IMAGE)
  await runImage(podman)
  await runUnit(podman)
} finally {
  podman.close()
}
