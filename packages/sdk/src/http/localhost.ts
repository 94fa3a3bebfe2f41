type Lookup = (name: string, ...rest: unknown[]) => unknown
type NodeProcess = { getBuiltinModule?(name: string): { lookup: Lookup } | undefined }

let isDone = false

/**
 * Makes Node resolve names under `localhost` to this machine, as browsers do (RFC 6761), once a program uses one. The name stays
 * in the Host header and in the TLS handshake. Elsewhere than in Node this does nothing.
 */
export function resolveLocalhostNames(url: string) {
  if (isDone || !url.includes('.localhost')) return
  const dns = (globalThis as { process?: NodeProcess }).process?.getBuiltinModule?.('node:dns')
  if (!dns) return
  isDone = true
  const { lookup } = dns
  dns.lookup = Object.assign(
    (name: string, ...rest: unknown[]) => lookup(name.endsWith('.localhost') ? 'localhost' : name, ...rest),
    lookup,
  )
}
