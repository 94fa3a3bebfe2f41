import { hash } from 'node:crypto'

import { Failure } from '../output/failure.ts'
import { redirected } from './service-failures.ts'
import { unreachable } from './unreachable.ts'

/** The packages that a game installs. */
export const PACKAGE_NAMES = ['@svc/cli', '@svc/sdk'] as const
export type PackageName = (typeof PACKAGE_NAMES)[number]
/** One package of svc, as the service lists it. */
export type ListedPackage = {
  name: PackageName
  version: string
  file: string
  bytes: number
  integrity: string
}

/** A service from a checkout packs them at the first request. */
const TIMEOUT_MS = 5 * 60_000
const LIST_BYTES_MAX = 64 * 1024
const TARBALL_BYTES_MAX = 20 * 1024 * 1024
const VERSION = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/

/** The CLI and the SDK of the service's own version. */
export async function listPackages(url: string): Promise<ListedPackage[]> {
  const text = (await download(url, 'packages/', LIST_BYTES_MAX)).toString()
  const { packages } = jsonOf(text) as { packages?: unknown }
  const listed = Array.isArray(packages) ? (packages as Partial<ListedPackage>[]) : []
  return PACKAGE_NAMES.map((name) => {
    const found = listed.find((one) => one.name === name)
    if (!found || !isComplete(found)) throw notOffered(url)
    return found
  })
}

/** The name of a file comes from the service: it may name nothing but a file of this package and version. */
function isComplete(listed: Partial<ListedPackage>): listed is ListedPackage {
  const { name, version, file, bytes, integrity } = listed
  return (
    typeof version === 'string' &&
    VERSION.test(version) &&
    file === `${name?.replace('@', '').replace('/', '-')}-${version}.tgz` &&
    Number.isSafeInteger(bytes) &&
    typeof integrity === 'string'
  )
}

/** The content of a listed package, which must be what the list says. */
export async function downloadPackage(url: string, { file, integrity }: ListedPackage): Promise<Buffer> {
  const content = await download(url, `packages/${file}`, TARBALL_BYTES_MAX)
  if (integrityOf(content) === integrity) return content
  throw new Failure(
    'failed',
    `${url}/packages/${file} is not what the service lists: its integrity differs.`,
    {
      fix: 'Try again; if it happens again, check the proxy in front of the service.',
    },
  )
}

/** The integrity of a file in the form of npm. */
export const integrityOf = (content: Buffer): string => `sha512-${hash('sha512', content, 'base64')}`

async function download(url: string, path: string, bytesMax: number): Promise<Buffer> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(`${url}/${path}`, { redirect: 'manual', signal })
    const location = response.headers.get('location')
    if (location !== null) throw redirected(url, location)
    if (!response.ok || !response.body) throw notOffered(url)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body) {
      bytes += chunk.length
      if (bytes > bytesMax) throw notOffered(url)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    throw error instanceof Failure ? error : unreachable(url, error)
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

const notOffered = (url: string) =>
  new Failure('unreachable', `${url} does not offer svc’s packages at ${url}/packages/.`, {
    code: 'packages_not_offered',
    fix: 'Check the URL. If it is right, the service is older than this CLI, and its operator can upgrade it.',
  })
