import { Failure } from '../output/failure.ts'
import { isLoopback } from './address.ts'

/** Codes for certificates of a private authority (a company, mkcert, Caddy) and for self-signed ones. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

const TRUST_IT =
  'Set NODE_EXTRA_CA_CERTS to its certificate authority’s PEM file, ' +
  'or NODE_USE_SYSTEM_CA=1 if this machine already trusts it.'

type Problem = { why: string; fix: string }

/** Explains a problem with the certificate or with https; undefined for other errors. */
export function tlsProblem(error: unknown): Problem | undefined {
  const { code = '', message = '' } = ((error as Error).cause ?? {}) as { code?: string; message?: string }
  if (UNKNOWN_AUTHORITY.has(code))
    return { why: `its certificate is not from a known authority: ${code}`, fix: TRUST_IT }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return {
      why: `its certificate is not valid now: ${code}`,
      fix: 'Renew the certificate, and check the clocks.',
    }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      why: 'its certificate is for another name',
      fix: 'Use a URL with a name in the certificate: --url or SVC_URL.',
    }
  if (/^ERR_SSL_|^EPROTO$/.test(code) || message.includes('wrong version number'))
    return {
      why: 'it does not speak https',
      fix: 'Use http:// in the URL (--url or SVC_URL), or check the proxy.',
    }
  return undefined
}

/** The failure for a service that did not answer. */
export function unreachable(url: string, error: unknown): Failure {
  const { cause, name } = error as Error & { cause?: { code?: string } }
  const tls = tlsProblem(error)
  const why = tls?.why ?? (name === 'TimeoutError' ? 'timed out' : (cause?.code ?? 'no connection'))
  const fix = isLoopback(url)
    ? 'Start it with `npm start` in the svc folder, or set its URL with --url or SVC_URL.'
    : 'Check the URL; set it with --url or SVC_URL.'
  const message =
    why === 'ECONNREFUSED' ? `Nothing listens at ${url} (${why}).` : `${url} cannot be reached (${why}).`
  return new Failure('unreachable', message, {
    code: 'unreachable',
    fix: tls?.fix ?? fix,
  })
}
