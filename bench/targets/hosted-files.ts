import { hash } from 'node:crypto'

import type { Request } from './requests.ts'
import { call, newProject } from './service.ts'

export type FileName = keyof typeof FILES
export type Files = Record<string, Buffer>

const KIB = 1024
const UPLOAD_CONCURRENCY = 8

/** A page, a script that brotli compresses to a third, and bytes that cannot be compressed. */
export const FILES = {
  'index.html': lines(
    4 * KIB,
    (i) => `<li class="item item-${i % 7}"><a href="/part-${i}">Part ${i * 31}</a>`,
  ),
  'app.js': lines(
    100 * KIB,
    (i) =>
      `export const step${i} = (a, b) => move(a, ${i % 9}, '${hash('sha1', String(i), 'base64')}', b.next)`,
  ),
  'picture.png': noise(1024 * KIB),
}
const SCRIPT_ENCODING = { 'Accept-Encoding': 'br' }

/** Requests for the three files at `host`; the script is requested in brotli. */
export const fileRequests = (host: string): Record<FileName, Request> => {
  const requestFor = (name: FileName, headers = {}): Request => ({
    path: `/${name}`,
    headers: { Host: host, ...headers },
    status: 200,
  })
  return {
    'index.html': requestFor('index.html'),
    'app.js': requestFor('app.js', SCRIPT_ENCODING),
    'picture.png': requestFor('picture.png'),
  }
}

/** Creates a project with hosting turned on; returns its secret key. */
export async function newHosting(port: number, name: string): Promise<string> {
  const { secret } = await newProject(port, name)
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features: { hosting: true } })
  return secret
}

/**
 * Deploys like a developer: creates the deployment, uploads the missing files, activates the version. Returns the host of the
 * app.
 */
export async function deploy(port: number, secret: string, files: Files): Promise<string> {
  const key = { 'x-svc-key': secret }
  const hashed = Object.entries(files).map(([path, bytes]) => ({
    path,
    bytes,
    sha256: hash('sha256', bytes),
  }))
  const list = hashed.map(({ path, bytes, sha256 }) => ({ path, sha256, size: bytes.length }))
  const { deploymentId } = await call<{ deploymentId: string }>(port, 'POST', '/v1/deployments', key, {
    files: list,
  })
  for (let i = 0; i < hashed.length; i += UPLOAD_CONCURRENCY) {
    const group = hashed.slice(i, i + UPLOAD_CONCURRENCY)
    await Promise.all(group.map(({ sha256, bytes }) => upload(port, secret, sha256, bytes)))
  }
  const path = `/v1/deployments/${deploymentId}/finalize`
  const { url } = await call<{ url: string }>(port, 'POST', path, key, { activate: true })
  return new URL(url).host
}

async function upload(port: number, secret: string, sha256: string, bytes: Buffer) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/blobs/${sha256}`, {
    method: 'PUT',
    headers: { 'x-svc-key': secret, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  })
  if (!response.ok) throw new Error(`an upload answers ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

function lines(bytes: number, line: (i: number) => string): Buffer {
  const text = Buffer.alloc(bytes, '\n')
  for (let i = 0, at = 0; at < bytes; i++) at += text.write(`${line(i)}\n`, at)
  return text
}

/** Pseudo-random bytes, the same in every run. */
function noise(bytes: number): Buffer {
  const blocks = Array.from({ length: bytes / 64 }, (_, i) => hash('sha512', String(i), 'buffer'))
  return Buffer.concat(blocks)
}
