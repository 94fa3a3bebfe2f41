import { connect } from 'node:net'

import type { Context } from '../context.ts'

/** One line of the report; `ok: null` is information, not a failure. */
export type Check = { name: string; ok: boolean | null; says: string; fix?: string }

/** What works, what does not, and what is only worth knowing. */
export const passed = (name: string, says: string): Check => ({ name, ok: true, says })
export const failed = (name: string, says: string, fix: string): Check => ({ name, ok: false, says, fix })
export const noted = (name: string, says: string, fix?: string): Check => ({
  name,
  ok: null,
  says,
  ...(fix !== undefined && { fix }),
})

const CONNECT_MS_MAX = 3_000

/** Checks the settings of this shell, which are those of the service only if it was started from here. */
export async function mailCheck({ system }: Context): Promise<Check> {
  const name = 'SMTP'
  const smtp = system.variables['SMTP_URL']
  if (!smtp) return noted(name, 'SMTP_URL is not set: emails are stored, not sent; read them with svc mail')
  if (!URL.canParse(smtp)) return failed(name, 'SMTP_URL is not a URL', 'write smtps://user:password@host')
  const { hostname, port, protocol } = new URL(smtp)
  const isUp = await connects(hostname, Number(port || (protocol === 'smtps:' ? 465 : 587)))
  if (isUp) return passed(name, `${hostname} responds`)
  return failed(name, `${hostname} does not answer`, 'check SMTP_URL and the firewall')
}

/** Checks each TURN server of the settings of this shell. */
export async function turnChecks({ system }: Context): Promise<Check[]> {
  const urls =
    system.variables['TURN_URLS']
      ?.split(',')
      .map((one) => one.trim())
      .filter(Boolean) ?? []
  if (urls.length === 0)
    return [noted('TURN', 'TURN_URLS is not set: using the built-in relay or TURN_PROVIDER')]
  return Promise.all(urls.map(turnCheck))
}

/** Checks over TCP, which nearly every relay supports; for UDP URLs a missing response proves nothing. */
async function turnCheck(url: string): Promise<Check> {
  const name = 'TURN'
  const [, scheme, host = '', input] = /^(turns?):(\[[^\]]+\]|[^:?]+)(?::(\d+))?/.exec(url) ?? []
  if (scheme === undefined)
    return failed(name, `${url} is not a TURN URL`, 'write turn:host:3478 in TURN_URLS')
  if (await connects(host, Number(input ?? (scheme === 'turns' ? 5349 : 3478))))
    return passed(name, `${host} responds`)
  const fix = 'check TURN_URLS and the firewall'
  const says = `${host} does not respond over TCP`
  const isOverTcp = scheme === 'turns' || url.includes('transport=tcp')
  return isOverTcp ? failed(name, says, fix) : noted(name, `${says} (UDP was not tested)`, fix)
}

/** An IPv6 address has brackets in a URL only. */
export const connects = (host: string, port: number): Promise<boolean> =>
  new Promise((settle) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: CONNECT_MS_MAX })
    const end = (isConnected: boolean) => {
      socket.destroy()
      settle(isConnected)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
