import { LIMITS, RATE_LIMITS } from '@svc/contract/common/limits'

import {
  type Kind,
  addressWith,
  anyText,
  backupKeep,
  bucketUrl,
  features,
  headerList,
  listenHost,
  hostName,
  ipAddress,
  mailSender,
  oneOf,
  origin,
  postgresUrl,
  prices,
  providerEndpoints,
  redisPrefix,
  redisUrl,
  secretKeys,
  share,
  shortName,
  turnUrls,
  wholeNumber,
} from './platform/setting-parsers.ts'

/** How a setting is read, its default, and its description in `docs/settings.md`. */
export type Setting<T> = { kind: Kind<T>; whenUnset: T; shownDefault: string; description: string }

/** All settings. `docs/settings.md` is generated from this table, in this order. */
export const TABLE = {
  HOST: setting('127.0.0.1', listenHost, 'IP address to listen on; `0.0.0.0` for all interfaces.'),
  PORT: setting('8787', wholeNumber(1, 65_535), 'Port to listen on.'),
  SVC_BASE_URL: optional(
    origin,
    'http://localhost:<PORT>',
    'Public URL of the service, also used in email links. The same on every node.',
  ),
  SVC_APPS_DOMAIN: setting('localhost', hostName, 'Hosted apps are served at <slug>.<this domain>.'),
  SVC_DATA_DIR: setting('./data', anyText, 'Folder for the embedded database, files and the secret key.'),
  LOG_LEVEL: optional(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info; debug with LOG_FORMAT=pretty',
    'Minimum log level. Requests are logged at debug.',
  ),
  LOG_FORMAT: optional(
    oneOf('pretty', 'json'),
    'pretty in a terminal, json elsewhere',
    'Format of log lines: readable text, or one JSON object per line.',
  ),

  DATABASE_URL: optional(
    postgresUrl,
    'SQLite in the data folder',
    'PostgreSQL 15 or newer. Several hosts are allowed in the form of libpq: `postgres://user:password@one:5432,two:5432/svc?target_session_attrs=read-write`; the service uses the one that accepts writes, and follows it to another one.',
  ),
  SVC_POSTGRES_PREPARE: setting(
    'on',
    oneOf('on', 'off'),
    '`off` behind a pooler in transaction mode, such as PgBouncer before 1.21: no prepared statements, which costs CPU time.',
  ),
  SVC_SQLITE_SYNC: setting(
    'group',
    oneOf('group', 'each'),
    'How SQLite writes reach the disk. `group`: writes that wait share a sync. `each`: every write is synced by SQLite itself (`synchronous=FULL`), which is slower. Both confirm a write after the sync. No effect with DATABASE_URL.',
  ),
  REDIS_URL: optional(
    redisUrl,
    'in memory, one node only',
    'Redis 7 or Valkey; required to run several nodes. With Sentinels: `redis+sentinel://user:password@one:26379,two:26379/<master name>/<database>`; credentials and database are optional, and so is `?sentinel_password=…`.',
  ),
  SVC_REDIS_PREFIX: optional(
    redisPrefix,
    'svc:<id of the installation, from the database>:',
    'Keys and channels in Redis begin with it, so that installations can share one Redis. The same on every node. `svc:` is what versions before this setting used.',
  ),
  SVC_BLOBS_URL: optional(
    bucketUrl,
    'files in the data folder',
    'S3 storage: `s3://bucket/prefix?endpoint=…&region=…`.',
  ),
  AWS_ACCESS_KEY_ID: optional(
    anyText,
    'none',
    'Credentials for SVC_BLOBS_URL, and for SVC_BACKUP_URL if it has none of its own.',
  ),
  AWS_SECRET_ACCESS_KEY: optional(
    anyText,
    'none',
    'Credentials for SVC_BLOBS_URL, and for SVC_BACKUP_URL if it has none of its own.',
  ),
  AWS_SESSION_TOKEN: optional(anyText, 'none', 'For temporary credentials only.'),
  SVC_BACKUP_HOURS: setting('24', wholeNumber(0, 8_760), 'Hours between automatic backups; 0: none.'),
  SVC_BACKUP_KEEP: setting(
    '7d4w6m',
    backupKeep,
    'Backups to keep: the newest of each of this many days, weeks and months. Those of the last 24 hours (at most 10) and the newest verified one are always kept.',
  ),
  SVC_BACKUP_URL: optional(
    bucketUrl,
    'backups in the data folder',
    'S3 storage for backups, as in SVC_BLOBS_URL; preferably at another provider. Requires SVC_BACKUP_KEY.',
  ),
  SVC_BACKUP_ACCESS_KEY_ID: optional(
    anyText,
    'AWS_ACCESS_KEY_ID',
    'Credentials for SVC_BACKUP_URL, if they are not those of SVC_BLOBS_URL.',
  ),
  SVC_BACKUP_SECRET_ACCESS_KEY: optional(
    anyText,
    'AWS_SECRET_ACCESS_KEY',
    'Credentials for SVC_BACKUP_URL, if they are not those of SVC_BLOBS_URL.',
  ),
  SVC_BACKUP_KEY: optional(
    secretKeys,
    'none: backups are not sealed',
    'Seals backups: 32 bytes in base64 or hex. Sealed backups contain secret.key; keep this key elsewhere. Several keys can be given, separated by commas: the first seals, all can open.',
  ),
  SVC_BACKUP_WAL_SECONDS: setting(
    '0',
    wholeNumber(0, 3_600),
    'SQLite only: a write is copied to `wal/` beside the backups this long after it at the latest, so that `svc-server restore --at <time>` restores the database of any moment of the last 7 days. 10 is a good value. 0: off.',
  ),
  SVC_BACKUP_WAL_MAX_MB: setting(
    '4096',
    wholeNumber(64, 9_999_999),
    'Size of these copies, in the data folder or in SVC_BACKUP_URL, in MB; above it, the oldest are removed before 7 days have passed. The newest snapshot of the database always stays.',
  ),
  SMTP_URL: optional(
    addressWith('smtp', 'smtps'),
    'emails are stored, not sent',
    'SMTP server for outgoing email: `smtps://user:password@host`.',
  ),
  SVC_MAIL_FROM: optional(
    mailSender,
    'svc <no-reply@localhost>',
    'Sender address of all emails; required with SMTP_URL.',
  ),

  SVC_CARDS: setting(
    'takumi',
    oneOf('takumi', 'off'),
    'Draws the card images of shared links, in a process that starts with the first one. `off`: every card is a plain image.',
  ),

  PUBLIC_IP: optional(
    ipAddress,
    'the IP address at which each player’s WebSocket connected',
    'IP address at which players reach the TURN relay and the relay server for voice calls; required behind a proxy or NAT, and on each of several nodes. If set, both listen on all addresses.',
  ),
  TURN_PORT: setting(
    '3478',
    wholeNumber(0, 65_535),
    'UDP and TCP port of the embedded TURN relay. If the port is in use, or with 0, a free port is chosen. If HOST is a loopback address, the UDP port is opened on one of the machine’s other addresses too, only for programs of this machine (Firefox).',
  ),
  VOICE_PORT: setting(
    '3481',
    wholeNumber(0, 65_534),
    'UDP and TCP port of the relay server for voice calls; it opens with the first call. If the port is in use, or with 0, a free port is chosen. If HOST is a loopback address, the UDP port is opened on the machine’s other addresses too, only for programs of this machine (Firefox). With TURN_URLS or TURN_PROVIDER, the next UDP port is used too.',
  ),
  TURN_URLS: optional(
    turnUrls,
    'the embedded relay, for one node',
    'Comma-separated TURN servers that use a shared secret (coturn `use-auth-secret`): `turn:turn.example.com:3478?transport=udp`.',
  ),
  TURN_SECRET: optional(anyText, 'none', 'Shared secret for TURN_URLS (coturn `static-auth-secret`).'),
  TURN_PROVIDER: optional(
    oneOf('cloudflare', 'twilio', 'none'),
    'TURN_URLS, or the embedded relay',
    'Hosted TURN service. `none` disables TURN; peer-to-peer rooms then require `relayOnly: false`.',
  ),
  TURN_KEY_ID: optional(anyText, 'none', 'TURN key of TURN_PROVIDER=cloudflare.'),
  TURN_API_TOKEN: optional(anyText, 'none', 'API token of that TURN key.'),
  TWILIO_ACCOUNT_SID: optional(anyText, 'none', 'Twilio account SID, for TURN_PROVIDER=twilio.'),
  TWILIO_AUTH_TOKEN: optional(anyText, 'none', 'Auth token of that account.'),

  SVC_SECRET_KEY: optional(
    secretKeys,
    'the file secret.key in the data folder',
    'Encryption key for stored secrets: 32 bytes in base64 or hex. Several keys can be given, separated by commas: the first encrypts, all can decrypt.',
  ),
  SVC_STOP_DELAY_SECONDS: setting(
    '0',
    wholeNumber(0, 60),
    'How long a node serves on after SIGTERM while `/readyz` answers 503, so that a load balancer stops sending requests to it before its port closes. At least twice the interval of the health check.',
  ),
  SVC_TRUSTED_PROXIES: setting(
    '0',
    wholeNumber(0, 10),
    'How many proxies in front of the service are trusted to set X-Forwarded-For. With a loopback `SVC_BASE_URL` and 0, what a proxy forwards is refused.',
  ),
  SVC_METRICS_TOKEN: optional(
    anyText,
    'none',
    'Bearer token required for /metrics and for the parts of /readyz. Without it, only programs on this machine can read them, and nobody if SVC_BASE_URL is not on this machine.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    addressWith('http', 'https'),
    'no traces',
    'Base URL of an OpenTelemetry collector, such as http://127.0.0.1:4318. Traces are sent to `/v1/traces` below it, as JSON.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    headerList,
    'none',
    'Headers for the collector: `name=value`, separated by commas, values percent-encoded.',
  ),
  OTEL_SERVICE_NAME: setting('svc', shortName, 'Name of this service in traces.'),
  OTEL_TRACES_SAMPLER_ARG: setting(
    '0.01',
    share,
    'Share of the requests that are traced. Requests that fail with a status of 500 or more are always traced.',
  ),
  SVC_RATE_LIMITS: setting(
    'on',
    oneOf('on', 'off'),
    'Turns the general rate limits below on or off. They apply to production environments.',
  ),
  SVC_LIMIT_PUBLIC_PER_MINUTE: setting(
    String(RATE_LIMITS.publicPerAddress.max),
    perMinute(),
    'Requests with a publishable key, per client address.',
  ),
  SVC_LIMIT_SECRET_PER_MINUTE: setting(
    String(RATE_LIMITS.secretKey.max),
    perMinute(),
    'Requests with a secret key, per key.',
  ),
  SVC_LIMIT_DEVELOPER_PER_MINUTE: setting(
    String(RATE_LIMITS.developerSession.max),
    perMinute(),
    'Requests per developer session.',
  ),
  SVC_LIMIT_SIGN_IN_PER_MINUTE: setting(
    String(RATE_LIMITS.signInPerAddress.max),
    perMinute(),
    'Sign-in, sign-up, forgot, verify and reset, per client address.',
  ),
  SVC_LIMIT_SIGN_IN_FAILURES: setting(
    String(RATE_LIMITS.signInFailuresPerAddress.max),
    wholeNumber(1, 1_000),
    'Failed sign-ins per account and client address in 10 minutes.',
  ),
  SVC_LIMIT_SIGN_IN_FAILURES_PER_ACCOUNT: setting(
    String(RATE_LIMITS.signInFailuresPerAccount.max),
    wholeNumber(1, 10_000),
    'Failed sign-ins per account in 10 minutes, from all client addresses together. Addresses that signed in to the account in the last 30 days are still admitted.',
  ),
  SVC_LIMIT_GUESTS_PER_MINUTE: setting(
    String(RATE_LIMITS.guestsPerAddress.max),
    perMinute(),
    'New guests, per client address.',
  ),

  SVC_REFRESH_GRACE_SECONDS: setting(
    '0',
    wholeNumber(0, 10),
    'If a refresh token is used again within this time, the second use fails with `refresh_race`, but the session continues.',
  ),
  SVC_SAVE_MAX_BYTES: setting(
    String(LIMITS.saveBytesMax),
    wholeNumber(1, 64 * 1024 * 1024),
    'Maximum size of a save, in bytes of JSON text.',
  ),
  SVC_SAVE_MAX_COUNT: setting(
    String(LIMITS.savesPerPlayerMax),
    wholeNumber(1, 10_000),
    'Maximum number of saves per player.',
  ),
  SVC_VOICE_MAX_MINUTES: setting(
    String(LIMITS.voiceMinutesMax),
    wholeNumber(1, 1_440),
    'Maximum duration of a voice call, in minutes; its members can then join a new one.',
  ),
  SVC_SKEW_PROTECTION: setting(
    'on',
    oneOf('on', 'off'),
    'Pages of hosted apps get a cookie with their version for 10 minutes; the files that they load then come from that version.',
  ),
  FUNCTIONS_DIR: optional(
    anyText,
    'functions in the data folder',
    'Folder for the databases and other data of functions. With several nodes: a folder that all nodes share.',
  ),
  FUNCTIONS_SANDBOX: optional(
    oneOf('required', 'preferred'),
    'preferred where HOST and SVC_BASE_URL are loopback, otherwise required',
    '`required`: functions run only in a full sandbox (bubblewrap). `preferred`: in the best one that this machine has.',
  ),
  FUNCTIONS_PROCESSES_MAX: setting(
    '64',
    wholeNumber(1, 10_000),
    'Environments whose functions run at the same time on this node; the one that is idle longest stops first. A developer has at most a quarter of them; when all are in use, developers who have more than others make room.',
  ),
  ROOM_PROCESSES_MAX: setting(
    '4',
    wholeNumber(1, 100),
    'Processes that run the rooms of one version of an environment on this node; the next one starts when all of them have used 60 % of a core for ten seconds. They are part of FUNCTIONS_PROCESSES_MAX.',
  ),
  FUNCTIONS_STORAGE_MAX_MB: setting(
    '1024',
    wholeNumber(1, 1_000_000),
    'Data of the functions of one environment, in MB; above it, the data can only be read.',
  ),
  SVC_NODE_URL: optional(
    origin,
    'none',
    'Private URL at which the other nodes reach this node; required for functions on several nodes.',
  ),
  SVC_UNAVAILABLE_FEATURES: setting(
    '',
    features,
    'Comma-separated features that projects on this service cannot enable.',
  ),
  SVC_BRAND: setting('svc', anyText, 'Name of this service. Project names must not contain it.'),
  SVC_OPERATOR_NAME: optional(
    shortName,
    'SVC_BRAND; if that is not set either, the host of a public SVC_BASE_URL',
    'Your name or your company’s, as players know it. The news box (`svcNews`), its emails and pages show it.',
  ),
  SVC_GOOGLE_CLIENT_ID: optional(anyText, 'none', 'OAuth client ID for developer sign-in with Google.'),
  SVC_GOOGLE_CLIENT_SECRET: optional(anyText, 'none', 'Client secret for SVC_GOOGLE_CLIENT_ID.'),
  SVC_GITHUB_CLIENT_ID: optional(anyText, 'none', 'OAuth client ID for developer sign-in with GitHub.'),
  SVC_GITHUB_CLIENT_SECRET: optional(anyText, 'none', 'Client secret for SVC_GITHUB_CLIENT_ID.'),
  SVC_X_CLIENT_ID: optional(
    anyText,
    'none',
    'Client ID of a shared X app, for environments without their own app (`useShared`).',
  ),
  SVC_X_CLIENT_SECRET: optional(anyText, 'none', 'Client secret for SVC_X_CLIENT_ID.'),
  SVC_X_SIGN_IN_CHARGED: setting(
    'off',
    oneOf('on', 'off'),
    'X charges for sign-ins: if on, the shared app rejects projects whose balance is overdue.',
  ),
  SVC_BILLING: setting(
    'on',
    oneOf('on', 'off'),
    'Whether developers pay for usage from a prepaid balance. `off`: nothing is charged, and no feature requires credit. `on` without STRIPE_SECRET_KEY: a test checkout, without real payments.',
  ),
  STRIPE_SECRET_KEY: optional(
    anyText,
    'none',
    'Secret key of the Stripe account that receives the payments.',
  ),
  STRIPE_WEBHOOK_SECRET: optional(
    anyText,
    'none',
    'Signing secret of the Stripe webhook endpoint `<SVC_BASE_URL>/v1/money/webhooks/stripe`.',
  ),
  SVC_PRICES: optional(
    prices,
    'the prices in docs/guide/pricing.md',
    'JSON file with prices that replace the built-in ones. Prices are fixed for a month once its first charge is made.',
  ),
  SVC_PROVIDER_ENDPOINTS: optional(
    providerEndpoints,
    'the providers’ standard endpoints',
    'JSON file with replacement URLs for sign-in, TURN and payment providers, for self-hosted servers and tests.',
  ),
  SVC_SIGN_UP: optional(
    oneOf('open', 'first', 'closed'),
    'open where HOST and SVC_BASE_URL are loopback and SVC_TRUSTED_PROXIES is 0, otherwise first',
    'Who can create a developer account: everyone, or (`first`) only with the set-up link that the first start prints and with invitations (`svc-server developers invite`), or nobody.',
  ),
  SVC_TEST_CLOCK: setting(
    'off',
    oneOf('on', 'off'),
    'Adds an endpoint that advances the service’s clock, for tests. Allowed only if HOST is a loopback address.',
  ),
}

function setting<T>(byDefault: string, kind: Kind<T>, description: string): Setting<T> {
  const whenUnset = kind.read(byDefault)
  if (whenUnset === undefined) throw new Error(`${byDefault} is not a valid default: must be ${kind.mustBe}`)
  return { kind, whenUnset, shownDefault: byDefault, description }
}

function optional<T>(kind: Kind<T>, shownDefault: string, description: string): Setting<T | undefined> {
  return { kind, whenUnset: undefined, shownDefault, description }
}

function perMinute() {
  return wholeNumber(1, 1_000_000)
}

/** All settings with their defaults and descriptions, for `docs/settings.md`. */
export const settingsTable = () =>
  Object.entries<Setting<unknown>>(TABLE).map(([name, { shownDefault, description }]) => ({
    name,
    default: shownDefault,
    description,
  }))

/** The values of all settings, by name. */
export type Values = { readonly [Name in keyof typeof TABLE]: (typeof TABLE)[Name]['whenUnset'] }
