import type { IceServer } from '../../platform/ports/turn.ts'

const SERVERS_MAX = 16
const URLS_MAX = 16

/**
 * The servers in a provider's response, in the form of browsers; undefined if none of them is a TURN server. Cloudflare calls the
 * list `iceServers` (or has one server in it), Twilio `ice_servers`.
 */
export function iceServersIn(text: string): IceServer[] | undefined {
  const answer = parsed(text)
  if (!isObject(answer)) return undefined
  const listed = answer['iceServers'] ?? answer['ice_servers']
  const servers = (Array.isArray(listed) ? listed : [listed]).slice(0, SERVERS_MAX).flatMap(serverOf)
  return servers.some(isTurn) ? servers : undefined
}

function serverOf(value: unknown): IceServer[] {
  if (!isObject(value)) return []
  const { urls: input, username, credential } = value
  const urls = (Array.isArray(input) ? input : [input]).filter(isIceUrl).slice(0, URLS_MAX)
  if (urls.length === 0) return []
  if (typeof username !== 'string' || typeof credential !== 'string') return [{ urls }]
  return [{ urls, username, credential }]
}

const isTurn = ({ urls, credential }: IceServer) =>
  credential !== undefined && urls.some((url) => /^turns?:/.test(url))

const isIceUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^(stun|turn)s?:[^\s]{1,256}$/.test(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
