import dns from 'node:dns'

/**
 * Resolves every name under `localhost` to this machine, as browsers do (RFC 6761); Node asks the system, which often
 * does not. The name itself stays in the Host header and in the TLS handshake, so certificates for it are accepted.
 */
export function resolveLocalhostNames() {
  const { lookup } = dns
  const replacement = (name: string, ...rest: unknown[]) =>
    Reflect.apply(lookup, dns, [name.endsWith('.localhost') ? 'localhost' : name, ...rest])
  dns.lookup = Object.assign(replacement, lookup) as typeof lookup
}
