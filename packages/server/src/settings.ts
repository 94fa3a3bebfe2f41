import { isIPv6 } from 'node:net'
import { join, resolve } from 'node:path'

import { parsePostgresUrl } from './platform/engine-urls.ts'
import { isLoopbackHost } from './platform/network/networks.ts'
import { isThisMachine } from './platform/network/outbound.ts'
import { didYouMean } from './platform/text/did-you-mean.ts'
import { type Setting, TABLE, type Values } from './settings-table.ts'

/** Lists all problems together, so that one failed start shows every mistake. */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(['Invalid settings:', ...problems].join('\n  '))
    this.problems = problems
  }
}

type Environment = Readonly<Record<string, string | undefined>>

export type Settings = ReturnType<typeof toSettings> & { readonly warnings: readonly string[] }

export function readSettings(env: Environment, { isTerminal = false } = {}): Settings {
  const { values, problems } = readValues(env)
  problems.push(...contradictions(values))
  if (problems.length > 0) throw new SettingsError(problems)
  return deepFreeze({ ...toSettings(values, isTerminal), warnings: [...unknownNames(env), ...hints(values)] })
}

/**
 * An empty variable counts as unset, because compose files pass unset variables in this way. Values are never printed: many are
 * secret.
 */
function readValues(env: Environment) {
  const problems: string[] = []
  const read = ([name, { kind, whenUnset }]: [string, Setting<unknown>]) => {
    const text = env[name]?.trim()
    if (!text) return [name, whenUnset]
    const value = kind.read(text)
    if (value === undefined) problems.push(`${name} must be ${kind.mustBe}.`)
    return [name, value ?? whenUnset]
  }
  const values = Object.fromEntries(Object.entries<Setting<unknown>>(TABLE).map(read)) as Values
  return { values, problems }
}

const TURN_PROVIDER_NEEDS = {
  cloudflare: ['TURN_KEY_ID', 'TURN_API_TOKEN'],
  twilio: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN'],
  none: [],
} as const

/** Each is useless without the other. */
const PAIRS = [
  ['SVC_GOOGLE_CLIENT_ID', 'SVC_GOOGLE_CLIENT_SECRET'],
  ['SVC_GITHUB_CLIENT_ID', 'SVC_GITHUB_CLIENT_SECRET'],
  ['SVC_X_CLIENT_ID', 'SVC_X_CLIENT_SECRET'],
  ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  ['TURN_URLS', 'TURN_SECRET'],
  ['SVC_BACKUP_ACCESS_KEY_ID', 'SVC_BACKUP_SECRET_ACCESS_KEY'],
] as const

function* contradictions(values: Values) {
  const deps = (name: keyof Values, other: keyof Values) =>
    values[name] !== undefined && values[other] === undefined
      ? [`${other} is required when ${name} is set.`]
      : []

  yield* deps('SVC_BLOBS_URL', 'AWS_ACCESS_KEY_ID')
  yield* deps('SVC_BLOBS_URL', 'AWS_SECRET_ACCESS_KEY')
  if (!hasOwnBackupCredentials(values)) {
    yield* deps('SVC_BACKUP_URL', 'AWS_ACCESS_KEY_ID')
    yield* deps('SVC_BACKUP_URL', 'AWS_SECRET_ACCESS_KEY')
  }
  yield* deps('SVC_BACKUP_URL', 'SVC_BACKUP_KEY')
  yield* deps('SMTP_URL', 'SVC_MAIL_FROM')
  for (const [one, other] of PAIRS) {
    yield* deps(one, other)
    yield* deps(other, one)
  }
  for (const name of TURN_PROVIDER_NEEDS[values.TURN_PROVIDER ?? 'none']) yield* deps('TURN_PROVIDER', name)
  if (values.TURN_PROVIDER && values.TURN_URLS) yield 'Set either TURN_PROVIDER or TURN_URLS, not both.'
  if (voicePortsOf(values).includes(values.TURN_PORT) && turnOf(values).provider === 'embedded')
    yield 'VOICE_PORT and TURN_PORT must be different.'
  if (values.VOICE_PORT === values.PORT) yield 'VOICE_PORT and PORT must be different.'
  yield* postgresContradictions(values)
  if (values.SVC_TEST_CLOCK === 'on' && !isLoopbackHost(values.HOST)) {
    yield 'SVC_TEST_CLOCK requires a loopback HOST (127.0.0.1): anyone who can reach the endpoint could end any session.'
  }
}

function* postgresContradictions({ DATABASE_URL: url, SVC_POSTGRES_PREPARE: prepare }: Values) {
  const { hosts = [], sessions } = parsePostgresUrl(url ?? '') ?? {}
  if (sessions !== undefined && !['read-write', 'primary', 'any'].includes(sessions))
    yield 'DATABASE_URL: target_session_attrs must be read-write, because the service writes.'
  if (hosts.length > 1 && (sessions === undefined || sessions === 'any'))
    yield 'DATABASE_URL names several hosts: add target_session_attrs=read-write, so that the service finds the one that accepts writes.'
  if (hosts.length > 1 && prepare === 'off')
    yield 'SVC_POSTGRES_PREPARE=off is for a pooler: DATABASE_URL must name only the pooler.'
}

/** Valid settings that are probably a mistake on a service that is reached from the internet. */
function* hints(values: Values) {
  const baseUrl = values.SVC_BASE_URL
  if (baseUrl?.startsWith('https:') && values.SVC_TRUSTED_PROXIES === 0) {
    yield 'SVC_BASE_URL uses https, so there must be a proxy in front. Set SVC_TRUSTED_PROXIES to 1; otherwise all clients share the proxy’s IP address and rate limits.'
  }
  if (values.REDIS_URL && !values.SVC_SECRET_KEY) {
    yield 'SVC_SECRET_KEY is not set. Nodes connected through REDIS_URL must use the same key, or the same secret.key file.'
  }
  if (values.REDIS_URL && !values.SVC_BLOBS_URL) {
    yield 'SVC_BLOBS_URL is not set. Files of hosted apps are in the data folder of the node that stored them, and nodes with another data folder answer 503 for them.'
  }
  if (values.REDIS_URL && !(values.FUNCTIONS_DIR && values.SVC_NODE_URL)) {
    yield 'Functions are not available: with REDIS_URL they need FUNCTIONS_DIR, a folder that all nodes share, and SVC_NODE_URL.'
  }
  if (baseUrl?.startsWith('https:') && turnOf(values).provider === 'embedded' && !values.PUBLIC_IP) {
    yield 'PUBLIC_IP is not set. Behind a proxy, players receive a TURN address that only the proxy can reach. Set PUBLIC_IP, TURN_URLS or TURN_PROVIDER.'
  }
  if (metricsReadersOf(values) === 'nobody') {
    yield 'SVC_METRICS_TOKEN is not set: nobody can read /metrics and the parts of /readyz. Set it to a long random text, and give it to Prometheus and to svc doctor.'
  }
  if (values.SVC_SIGN_UP === 'open' && !isLocal(values)) {
    yield 'SVC_SIGN_UP is open: everybody who finds this service can create an account and projects. Only the set-up link creates an operator.'
  }
  if (values.REDIS_URL && values.SVC_BACKUP_HOURS > 0 && !values.SVC_BACKUP_URL) {
    yield 'SVC_BACKUP_URL is not set. Each backup is in the data folder of the node that wrote it, and is lost with that node.'
  }
  if (isLoopbackHost(values.HOST)) return
  if (!baseUrl?.startsWith('https:')) {
    yield 'HOST is not a loopback address, but SVC_BASE_URL is not https: passwords and tokens would be sent unencrypted.'
  }
  if (values.SVC_BILLING === 'on' && !values.STRIPE_SECRET_KEY) {
    yield 'SVC_BILLING is on without STRIPE_SECRET_KEY: every developer can add credit without paying on the test checkout. Set SVC_BILLING=off, or configure Stripe.'
  }
  if (!values.SMTP_URL) yield 'SMTP_URL is not set: emails are stored and shown to developers, not sent.'
  if (values.SVC_APPS_DOMAIN === 'localhost') {
    yield 'SVC_APPS_DOMAIN is localhost: hosted apps cannot be reached from outside.'
  }
}

/** Variables that `svc new` writes to `.env` for the command line and for apps; they may be set in the same shell. */
const CLIENT_VARIABLES = /^SVC_(?:URL|KEY|PROJECT|(?:DEVELOPMENT|PRODUCTION)_(?:PUBLISHABLE|SECRET)_KEY)$/

function* unknownNames(env: Environment) {
  const known = Object.keys(TABLE)
  for (const name of Object.keys(env)) {
    if (!name.startsWith('SVC_') || known.includes(name) || CLIENT_VARIABLES.test(name)) continue
    const meant = didYouMean(name, known)
    yield `${name} is not a setting${meant ? `: did you mean ${meant}?` : ' and does nothing.'}`
  }
}

/** The settings in the form that the parts of the service use. */
function toSettings(values: Values, isTerminal: boolean) {
  const logFormat = values.LOG_FORMAT ?? (isTerminal ? 'pretty' : 'json')
  const dataDir = resolve(values.SVC_DATA_DIR)
  return {
    listen: { host: values.HOST, port: values.PORT },
    baseUrl: values.SVC_BASE_URL ?? `http://localhost:${values.PORT}`,
    isLocal: isLocal(values),
    appsDomain: values.SVC_APPS_DOMAIN,
    dataDir,
    logLevel: values.LOG_LEVEL ?? (logFormat === 'pretty' ? 'debug' : 'info'),
    logFormat,
    databaseUrl: values.DATABASE_URL,
    postgresPrepare: values.SVC_POSTGRES_PREPARE === 'on',
    sqliteSync: values.SVC_SQLITE_SYNC,
    shipping: {
      everyMs: values.SVC_BACKUP_WAL_SECONDS * 1_000,
      bytesMax: values.SVC_BACKUP_WAL_MAX_MB * 1_000_000,
    },
    redisUrl: values.REDIS_URL,
    redisPrefix: values.SVC_REDIS_PREFIX,
    blobs: {
      dataDir,
      url: values.SVC_BLOBS_URL,
      credentials: s3CredentialsOf(values),
      hasOtherNodes: values.REDIS_URL !== undefined,
    },
    backup: {
      everyHours: values.SVC_BACKUP_HOURS,
      keep: values.SVC_BACKUP_KEEP,
      url: values.SVC_BACKUP_URL,
      credentials: backupCredentialsOf(values),
      key: values.SVC_BACKUP_KEY,
    },
    mail: { smtpUrl: values.SMTP_URL, from: values.SVC_MAIL_FROM ?? 'svc <no-reply@localhost>' },
    cards: { driver: values.SVC_CARDS },
    turn: turnOf(values),
    voice: voiceOf(values),
    secretKey: values.SVC_SECRET_KEY,
    trustedProxies: values.SVC_TRUSTED_PROXIES,
    stopDelayMs: values.SVC_STOP_DELAY_SECONDS * 1_000,
    metricsReaders: metricsReadersOf(values),
    tracing: tracingOf(values),
    rateLimits: rateLimitsOf(values),
    saves: { bytesMax: values.SVC_SAVE_MAX_BYTES, perPlayerMax: values.SVC_SAVE_MAX_COUNT },
    refreshGraceSeconds: values.SVC_REFRESH_GRACE_SECONDS,
    skewProtection: values.SVC_SKEW_PROTECTION === 'on',
    functions: functionsOf(values, dataDir),
    unavailableFeatures: values.SVC_UNAVAILABLE_FEATURES,
    brand: values.SVC_BRAND,
    operatorName: operatorNameOf(values),
    signUp: signUpOf(values),
    developerSignIn: {
      google: clientOf(values.SVC_GOOGLE_CLIENT_ID, values.SVC_GOOGLE_CLIENT_SECRET),
      github: clientOf(values.SVC_GITHUB_CLIENT_ID, values.SVC_GITHUB_CLIENT_SECRET),
    },
    sharedXApp: clientOf(values.SVC_X_CLIENT_ID, values.SVC_X_CLIENT_SECRET),
    xSignInCharged: values.SVC_X_SIGN_IN_CHARGED === 'on',
    providerEndpoints: values.SVC_PROVIDER_ENDPOINTS ?? {},
    payments: paymentsOf(values),
    prices: values.SVC_PRICES ?? [],
    testClock: values.SVC_TEST_CLOCK === 'on',
  } as const
}

/** Undefined: no traces are recorded. */
function tracingOf(values: Values) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = values
  if (endpoint === undefined) return undefined
  return {
    endpoint,
    headers,
    serviceName: values.OTEL_SERVICE_NAME,
    sampleRatio: values.OTEL_TRACES_SAMPLER_ARG,
  }
}

/** `isShared` is false where several nodes would run functions on different folders, or could not reach each other. */
function functionsOf(values: Values, dataDir: string) {
  const { FUNCTIONS_DIR: folder, SVC_NODE_URL: nodeUrl, FUNCTIONS_SANDBOX: sandbox } = values
  return {
    folder: folder === undefined ? join(dataDir, 'functions') : resolve(folder),
    sandbox: sandbox ?? (isLocal(values) ? 'preferred' : 'required'),
    processesMax: values.FUNCTIONS_PROCESSES_MAX,
    roomProcessesMax: values.ROOM_PROCESSES_MAX,
    storageBytesMax: values.FUNCTIONS_STORAGE_MAX_MB * 1_000_000,
    nodeUrl,
    isShared: folder !== undefined && nodeUrl !== undefined,
  } as const
}

/** Whether no other machine can reach the service, not even through a proxy on this one. */
function isLocal({ HOST: host, SVC_BASE_URL: baseUrl, SVC_TRUSTED_PROXIES: proxies }: Values): boolean {
  const isOwnUrl = baseUrl === undefined || isThisMachine(new URL(baseUrl))
  return isLoopbackHost(host) && isOwnUrl && proxies === 0
}

/** A proxy may run on this machine, so on a service for others the address of a request proves nothing. */
function metricsReadersOf({ SVC_METRICS_TOKEN: token, SVC_BASE_URL: baseUrl }: Values) {
  if (token !== undefined) return { token }
  return baseUrl === undefined || isThisMachine(new URL(baseUrl)) ? 'this machine' : 'nobody'
}

/** Players do not know the name of this software. */
function operatorNameOf(values: Values): string {
  const { SVC_OPERATOR_NAME: name, SVC_BRAND: brand, SVC_BASE_URL: baseUrl } = values
  if (name !== undefined || brand !== TABLE.SVC_BRAND.whenUnset) return name ?? brand
  return baseUrl === undefined || isLocal(values) ? brand : new URL(baseUrl).hostname
}

/** Open only if no other machine can reach the service. */
const signUpOf = (values: Values) => values.SVC_SIGN_UP ?? (isLocal(values) ? 'open' : 'first')

function s3CredentialsOf(values: Values) {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, sessionToken: values.AWS_SESSION_TOKEN }
}

const hasOwnBackupCredentials = (values: Values) =>
  values.SVC_BACKUP_ACCESS_KEY_ID !== undefined || values.SVC_BACKUP_SECRET_ACCESS_KEY !== undefined

function backupCredentialsOf(values: Values) {
  const { SVC_BACKUP_ACCESS_KEY_ID: accessKeyId, SVC_BACKUP_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (accessKeyId === undefined || secretAccessKey === undefined) return s3CredentialsOf(values)
  return { accessKeyId, secretAccessKey, sessionToken: undefined }
}

function turnOf(values: Values) {
  const { TURN_PROVIDER: provider, TURN_URLS: urls, PUBLIC_IP: publicIp, TURN_PORT: port } = values
  const apiBaseUrl = values.SVC_PROVIDER_ENDPOINTS?.[provider ?? '']?.['apiBaseUrl']
  const { TURN_SECRET: secret = '', TURN_KEY_ID: keyId = '', TURN_API_TOKEN: apiToken = '' } = values
  const { TWILIO_ACCOUNT_SID: accountSid = '', TWILIO_AUTH_TOKEN: authToken = '' } = values

  if (provider === 'none') return { provider }
  if (provider === 'cloudflare') return { provider, apiBaseUrl, keyId, apiToken }
  if (provider === 'twilio') return { provider, apiBaseUrl, accountSid, authToken }
  if (urls) return { provider: 'coturn', urls, secret } as const

  return { provider: 'embedded', host: relayHost(values), port, publicIp } as const
}

/** Behind NAT no address of this machine is the public one: relays must listen on them all. */
function relayHost({ PUBLIC_IP: publicIp, HOST: host }: Values): string {
  if (publicIp === undefined) return host
  return isIPv6(publicIp) ? '::' : '0.0.0.0'
}

function paymentsOf(values: Values) {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = values
  if (values.SVC_BILLING === 'off') return { provider: 'off' } as const
  if (secretKey === undefined || webhookSecret === undefined) return { provider: 'test' } as const
  const apiBaseUrl = values.SVC_PROVIDER_ENDPOINTS?.['stripe']?.['apiBaseUrl']
  return { provider: 'stripe', secretKey, webhookSecret, apiBaseUrl } as const
}

/** Port 0 means any free port, which is never the same as another. */
const voicePortsOf = ({ VOICE_PORT: port }: Values) => (port === 0 ? [] : [port, port + 1])

function voiceOf(values: Values) {
  const { provider } = turnOf(values)
  return {
    host: relayHost(values),
    port: values.VOICE_PORT,
    publicIp: values.PUBLIC_IP,
    /** Clients may connect through a TURN server over TCP. */
    repairsTurn: provider !== 'embedded' && provider !== 'none',
    minutesMax: values.SVC_VOICE_MAX_MINUTES,
  }
}

function rateLimitsOf(values: Values) {
  if (values.SVC_RATE_LIMITS === 'off') return 'off' as const
  return {
    publicPerMinute: values.SVC_LIMIT_PUBLIC_PER_MINUTE,
    secretPerMinute: values.SVC_LIMIT_SECRET_PER_MINUTE,
    developerPerMinute: values.SVC_LIMIT_DEVELOPER_PER_MINUTE,
    signInPerMinute: values.SVC_LIMIT_SIGN_IN_PER_MINUTE,
    signInFailures: {
      perAddressMax: values.SVC_LIMIT_SIGN_IN_FAILURES,
      perAccountMax: values.SVC_LIMIT_SIGN_IN_FAILURES_PER_ACCOUNT,
    },
    guestsPerMinute: values.SVC_LIMIT_GUESTS_PER_MINUTE,
  }
}

const clientOf = (clientId: string | undefined, clientSecret: string | undefined) =>
  clientId !== undefined && clientSecret !== undefined ? { clientId, clientSecret } : undefined

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze)
  return Object.freeze(value)
}

/** The environment of a tool that a command starts: where programs are, and the settings of PostgreSQL's tools. No secret of the service. */
export const toolEnvironment = (more: Record<string, string>): Record<string, string | undefined> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(?:PATH|HOME|LANG|LC_\w+|PG\w+)$/.test(name)),
  ),
  ...more,
})

export const environmentSettings = (): Settings =>
  readSettings(process.env, { isTerminal: process.stdout.isTTY })
