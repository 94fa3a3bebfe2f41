import { createHash, hash } from 'node:crypto'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'

import { callerOf, type CallServer, type ServerProcess } from '../server-process.ts'

export const STEPS = ['create', 'upload', 'finalize', 'activate', 'roll back'] as const
export type Step = (typeof STEPS)[number]
type Files = Map<string, Buffer>

/** What the client knows: how far each of its versions was acknowledged, and which request has no response yet. */
export type AckLog = {
  versions: Map<number, { mark: string; isFinalized: boolean }>
  blobs: Set<string>
  live: number | null
  /** Version whose activation was requested but not answered. */
  requestedLive: number | null
  step: Step
  acknowledged: number
}
export const emptyAckLog = (): AckLog => ({
  versions: new Map(),
  blobs: new Set(),
  live: null,
  requestedLive: null,
  step: 'create',
  acknowledged: 0,
})

/** `key` is the secret one of production. */
export type App = { key: string; developmentKey: string; slug: string }
export type Client = ReturnType<typeof createClient>

/** Fewer versions than the service keeps. */
const TRACKED_VERSIONS_MAX = 50
const UPLOAD_CONCURRENCY = 3
const ANSWER_TIMEOUT_MS = 20_000
const LARGE_BYTES = 2_000_000

export const sha256Of = (bytes: Buffer) => hash('sha256', bytes)

/** Every file but one contains its version. One file is large, so that a kill can hit its upload. */
export function siteOf(mark: string): Files {
  const script = Buffer.from(`export default '${mark}' // ${'x'.repeat(2_000)}`)
  const name = `assets/app.${sha256Of(script).slice(0, 12)}a1.js`
  const noise = createHash('shake256', { outputLength: LARGE_BYTES }).update(mark).digest()
  return new Map([
    ['index.html', Buffer.from(`<script src="/${name}"></script>${mark}`)],
    [name, script],
    ['style.css', Buffer.from(`/* ${mark} */`)],
    ['data/noise.bin', noise],
    ['data/mark.txt', Buffer.from(mark)],
    ['robots.txt', Buffer.from('the same in every version')],
  ])
}

/** Creates a developer and a project with hosting turned on. */
export async function newApp(call: CallServer): Promise<App> {
  const account = { email: 'deployer@example.com', password: 'correct horse' }
  const { token } = (await call('POST', '/v1/developers/signup', { body: account })).body
  const { body } = await call('POST', '/v1/projects', { token, body: { name: 'Killed' } })
  type Key = { environment: string; type: string; key: string }
  const secretOf = (name: string) =>
    (body.keys as Key[]).find(({ environment, type }) => environment === name && type === 'secret')?.key ?? ''
  const key = secretOf('production')
  await call('PUT', '/v1/config', { key, body: { features: { hosting: true } } })
  return { key, developmentKey: secretOf('development'), slug: body.project.slug }
}

/** A client of one running server. Records each response; throws if the server dies or returns an unexpected response. */
export function createClient(
  server: Pick<ServerProcess, 'port'>,
  { key, slug }: App,
  ackLog: AckLog,
  onStep: (step: Step) => void = () => {},
) {
  const call = callerOf(server)

  function begin(step: Step) {
    ackLog.step = step
    onStep(step)
  }

  async function ask(method: string, path: string, body?: object, expected: readonly number[] = [200]) {
    const answer = await call(method, path, { key, ...(body && { body }) })
    if (!expected.includes(answer.status)) throw new Unexpected(`${method} ${path}`, answer)
    ackLog.acknowledged++
    return answer.body
  }

  async function put(bytes: Buffer) {
    const path = `/v1/blobs/${sha256Of(bytes)}`
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'PUT',
      headers: { 'x-svc-key': key },
      body: new Uint8Array(bytes),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    if (answer.status !== 200)
      throw new Unexpected(`PUT ${path}`, { status: answer.status, body: await answer.text() })
    await answer.arrayBuffer()
    ackLog.acknowledged++
    ackLog.blobs.add(sha256Of(bytes))
  }

  async function create(mark: string) {
    begin('create')
    const files = [...siteOf(mark)].map(([path, bytes]) => ({
      path,
      sha256: sha256Of(bytes),
      size: bytes.length,
    }))
    const { version, missing } = await ask('POST', '/v1/deployments', { files, message: mark })
    ackLog.versions.set(version, { mark, isFinalized: false })
    for (const old of [...ackLog.versions.keys()].slice(0, -TRACKED_VERSIONS_MAX))
      if (old !== ackLog.live) ackLog.versions.delete(old)
    return { version: version as number, missing: missing as string[] }
  }

  async function uploadAll(mark: string, missing: readonly string[]) {
    begin('upload')
    const waiting = [...siteOf(mark).values()].filter((bytes) => missing.includes(sha256Of(bytes)))
    const uploadNext = async () => {
      for (let bytes = waiting.pop(); bytes; bytes = waiting.pop()) await put(bytes)
    }
    await Promise.all(Array.from({ length: UPLOAD_CONCURRENCY }, uploadNext))
  }

  async function goLive(step: Step, version: number, path: string, body?: object) {
    begin(step)
    ackLog.requestedLive = version
    await ask('POST', path, body)
    Object.assign(ackLog, { live: version, requestedLive: null })
  }

  async function finish(version: number, { activate }: { activate: boolean }) {
    const path = `/v1/deployments/${version}/finalize`
    if (activate) await goLive('finalize', version, path, { activate })
    else {
      begin('finalize')
      await ask('POST', path, {})
    }
    const known = ackLog.versions.get(version)
    if (known) known.isFinalized = true
  }

  return {
    ask,
    create,
    uploadAll,
    finish,

    /** Deploys like the CLI, activating in one step or in two, and sometimes rolls back. */
    async deploy(mark: string, round: number) {
      const { version, missing } = await create(mark)
      await uploadAll(mark, missing)
      await finish(version, { activate: round % 2 === 0 })
      if (round % 2) await goLive('activate', version, `/v1/deployments/${version}/activate`)
      const older = [...ackLog.versions].find(([, { isFinalized }]) => isFinalized)?.[0] ?? version
      if (round % 3 === 0) await goLive('roll back', older, `/v1/deployments/${older}/activate`)
    },

    /** Requests a file like a visitor's browser. */
    visit: (path: string): Promise<{ status: number; bytes: Buffer }> =>
      new Promise((resolve, reject) => {
        const headers = { host: `${slug}.localhost` }
        const timeout = ANSWER_TIMEOUT_MS
        const sent = request({ host: '127.0.0.1', port: server.port, path, headers, timeout }, (response) => {
          buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, bytes }), reject)
        })
        sent.on('error', reject).end()
      }),
  }
}

/** A response that a kill does not explain. */
export class Unexpected extends Error {
  constructor(what: string, { status, body }: { status: number; body: unknown }) {
    super(`${what} answers ${status}: ${JSON.stringify(body)}`)
  }
}
