/** The servers that DATABASE_URL names. */
export type PostgresUrl = {
  /** One URL per host, without `target_session_attrs`. */
  urls: readonly [string, ...string[]]
  /** The hosts with their ports, without the password. */
  hosts: readonly string[]
  /** `target_session_attrs` of the URL, if it is set. */
  sessions: string | undefined
}

const POSTGRES_URL = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]+)(\/[^?#]*)?(?:\?([^#]*))?$/
const HOST = /^(?:\[[\da-fA-F:.]+\]|[^:[\]\s]+)(?::(?<port>\d{1,5}))?$/

/**
 * Reads the form of libpq, which allows several hosts: `postgres://user:password@one:5432,two:5432/svc?target_session_attrs=read-write`.
 * Returns undefined if the text is not such a URL.
 */
export function parsePostgresUrl(text: string): PostgresUrl | undefined {
  const [, scheme, credentials, list = '', path = '', query] = POSTGRES_URL.exec(text) ?? []
  const hosts = list.split(',')
  if (!hosts.every(isHost)) return undefined

  const parameters = new URLSearchParams(query)
  const sessions = parameters.get('target_session_attrs') ?? undefined
  parameters.delete('target_session_attrs')
  const rest = parameters.size > 0 ? `?${parameters}` : ''
  const [first = '', ...others] = hosts.map((host) => `${scheme}${credentials}${host}${path}${rest}`)
  if (![first, ...others].every((url) => URL.canParse(url))) return undefined
  return { urls: [first, ...others], hosts, sessions }
}

function isHost(text: string): boolean {
  const match = HOST.exec(text)
  return match !== null && Number(match.groups?.['port'] ?? 1) <= 65_535
}

/** The Redis that REDIS_URL names: a server, or the master that Sentinels know by a name. */
export type RedisUrl =
  | { via: 'server'; url: string; address: string }
  | {
      via: 'sentinels'
      sentinels: readonly string[]
      sentinelPassword?: string
      master: string
      masterUrl: MasterUrl
    }

/** The URL of the master at `host:port`, with the credentials and the database of the setting. */
type MasterUrl = (address: string) => string

const SENTINEL_URL = /^redis\+sentinel:\/\/((?:[^/?#]*@)?)([^/?#@]+)\/([\w.-]+)(\/\d{1,5})?(?:\?([^#]*))?$/

/**
 * Reads `redis://…`, `rediss://…`, or `redis+sentinel://user:password@one:26379,two:26379/<master name>/<database>`; credentials and
 * database are optional. Returns undefined if the text is none of these.
 */
export function parseRedisUrl(text: string): RedisUrl | undefined {
  const url = URL.parse(text)
  if (url && /^rediss?:$/.test(url.protocol)) {
    return url.host ? { via: 'server', url: text, address: url.host } : undefined
  }

  const [, credentials, list = '', master, database = '', query] = SENTINEL_URL.exec(text) ?? []
  const hosts = list.split(',')
  if (master === undefined || !hosts.every(isHost)) return undefined
  const masterUrl = (address: string) => `redis://${credentials}${address}${database}`
  if (!hosts.every((host) => URL.canParse(masterUrl(host)))) return undefined

  const parameters = new URLSearchParams(query)
  const sentinelPassword = parameters.get('sentinel_password') ?? undefined
  parameters.delete('sentinel_password')
  if (parameters.size > 0) return undefined
  const sentinels = hosts.map((host) => (/:\d+$/.test(host) ? host : `${host}:26379`))
  return { via: 'sentinels', sentinels, ...(sentinelPassword && { sentinelPassword }), master, masterUrl }
}
