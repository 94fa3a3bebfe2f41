import { createHash } from 'node:crypto'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

import type { Service, TestEnvironment } from './service.ts'

export type Project = Awaited<ReturnType<Service['newProject']>>
export type Files = Record<string, string | Buffer>
type Visiting = { method?: string; headers?: Record<string, string>; body?: string }
export type Visited = {
  status: number
  headers: Record<string, string | undefined>
  bytes: Buffer
  text: string
}

export const sha256Of = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

export const fileList = (files: Files) =>
  Object.entries(files).map(([path, content]) => ({
    path,
    sha256: sha256Of(content),
    size: Buffer.byteLength(content),
  }))

/** A project whose apps are hosted. */
export async function newApp(service: Service, name?: string): Promise<Project> {
  const project = await service.newProject(undefined, name)
  for (const { server } of [project.development, project.production])
    await server('PUT', '/v1/config', { features: { hosting: true } })
  return project
}

/** Uploads raw bytes, which the JSON caller of other tests cannot send. */
export async function upload(
  service: Service,
  { secretKey }: TestEnvironment,
  bytes: string | Buffer,
  as = sha256Of(bytes),
) {
  const answer = await service.http.inject({
    method: 'PUT',
    url: `/v1/blobs/${as}`,
    headers: { 'x-svc-key': secretKey, 'content-type': 'application/octet-stream' },
    payload: Buffer.from(bytes),
  })
  return { status: answer.statusCode, body: answer.json() }
}

/** Like the CLI: creates a deployment, uploads the missing files, finalizes. */
export async function deploy(
  service: Service,
  side: TestEnvironment,
  files: Files,
  { activate = true } = {},
) {
  const { body } = await side.server('POST', '/v1/deployments', { files: fileList(files) })
  for (const content of Object.values(files))
    if (body.missing.includes(sha256Of(content))) await upload(service, side, content)
  const finalized = await side.server('POST', `/v1/deployments/${body.deploymentId}/finalize`, { activate })
  return { ...finalized.body, missing: body.missing } as {
    deploymentId: string
    version: number
    url: string
    missing: string[]
  }
}

/** A simple visitor's browser. It sets the Host header, because Node does not resolve `*.localhost`. */
export async function browserFor(service: Service, domain = 'localhost') {
  if (!service.http.server.listening) await service.http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.http.server.address() as AddressInfo

  return (
    label: string,
    path: string,
    { method = 'GET', headers = {}, body }: Visiting = {},
  ): Promise<Visited> =>
    new Promise((resolve, reject) => {
      const host = label === '' ? `127.0.0.1:${port}` : `${label}.${domain}:${port}`
      // Node would send the body of a DELETE without a Content-Length.
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const sent = request(
        { host: '127.0.0.1', port, path, method, headers: { host, ...length, ...headers }, agent: false },
        (response) => {
          buffer(response).then((bytes) => {
            const received = response.headers as Record<string, string | undefined>
            resolve({ status: response.statusCode ?? 0, headers: received, bytes, text: bytes.toString() })
          }, reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
}
