import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'

import { settingsTable } from './settings-table.ts'
import { SettingsError, readSettings } from './settings.ts'

const secretKey = 'ab'.repeat(32)

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readSettings(env)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
  return []
}

describe('settings', () => {
  test('start the service with no variable set', () => {
    const settings = readSettings({})

    assert.deepEqual(settings.listen, { host: '127.0.0.1', port: 8787 })
    assert.equal(settings.baseUrl, 'http://localhost:8787')
    assert.equal(settings.dataDir, resolve('data'))
    assert.equal(settings.databaseUrl, undefined)
    assert.equal(settings.redisUrl, undefined)
    assert.equal(settings.mail.smtpUrl, undefined)
    assert.equal(settings.testClock, false)
    assert.deepEqual(settings.warnings, [])
  })

  test('log readable lines and requests in a terminal and JSON elsewhere by default', () => {
    const logOf = (env: Record<string, string>, isTerminal: boolean) => {
      const { logFormat, logLevel } = readSettings(env, { isTerminal })
      return [logFormat, logLevel]
    }
    assert.deepEqual(logOf({}, true), ['pretty', 'debug'])
    assert.deepEqual(logOf({}, false), ['json', 'info'])
    assert.deepEqual(logOf({ LOG_FORMAT: 'json' }, true), ['json', 'info'])
    assert.deepEqual(logOf({ LOG_FORMAT: 'pretty', LOG_LEVEL: 'warn' }, false), ['pretty', 'warn'])
  })

  test('ignore the variables of the command line and of apps', () => {
    const names = [
      'SVC_URL',
      'SVC_KEY',
      'SVC_PROJECT',
      'SVC_DEVELOPMENT_SECRET_KEY',
      'SVC_PRODUCTION_PUBLISHABLE_KEY',
    ]
    assert.deepEqual(readSettings(Object.fromEntries(names.map((name) => [name, 'x']))).warnings, [])
    assert.equal(readSettings({ SVC_STAGING_SECRET_KEY: 'x' }).warnings.length, 1)
  })

  test('treat an empty variable as unset', () => {
    assert.deepEqual(readSettings({ PORT: '', DATABASE_URL: ' ', SVC_BRAND: '' }), readSettings({}))
  })

  test('are all read', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-settings-'))
    t.after(() => rm(folder, { recursive: true }))
    const endpoints = {
      google: { issuer: 'http://127.0.0.1:9/' },
      github: { apiBaseUrl: 'https://git.example.com/api' },
      discord: { tokenEndpoint: 'https://chat.example.com/token' },
      apple: { issuer: 'https://id.example.com' },
      x: { authorizationEndpoint: 'https://x.example.com/authorize' },
      stripe: { apiBaseUrl: 'http://127.0.0.1:12' },
    }
    await writeFile(join(folder, 'endpoints.json'), JSON.stringify(endpoints))
    const prices = [{ component: 'voice.relayMinutes', per: 1, microUsd: 700 }]
    await writeFile(join(folder, 'prices.json'), JSON.stringify(prices))

    const settings = readSettings({
      HOST: '::1',
      PORT: '80',
      SVC_BASE_URL: 'https://API.example.com/',
      SVC_APPS_DOMAIN: 'apps.example.com',
      SVC_DATA_DIR: folder,
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'pretty',
      SVC_SAVE_MAX_BYTES: '2048',
      SVC_SAVE_MAX_COUNT: '7',
      DATABASE_URL: 'postgres://svc:pw@db/svc',
      SVC_POSTGRES_PREPARE: 'off',
      SVC_SQLITE_SYNC: 'each',
      REDIS_URL: 'rediss://cache:6380/2',
      SVC_REDIS_PREFIX: 'staging',
      SVC_BLOBS_URL: 's3://files/a/b?endpoint=http://127.0.0.1:9000&region=eu-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      SVC_BACKUP_HOURS: '6',
      SVC_BACKUP_KEEP: '3d12m',
      SVC_BACKUP_URL: 's3://backups',
      SVC_BACKUP_KEY: secretKey,
      SVC_BACKUP_WAL_SECONDS: '10',
      SVC_BACKUP_WAL_MAX_MB: '100',
      SMTP_URL: 'smtp://mail:25',
      SVC_MAIL_FROM: 'Star Games <no-reply@example.com>',
      PUBLIC_IP: '2001:db8::7',
      TURN_PORT: '3479',
      VOICE_PORT: '3490',
      SVC_VOICE_MAX_MINUTES: '60',
      SVC_SECRET_KEY: secretKey,
      SVC_TRUSTED_PROXIES: '1',
      SVC_STOP_DELAY_SECONDS: '5',
      SVC_METRICS_TOKEN: 'm',
      SVC_LIMIT_PUBLIC_PER_MINUTE: '5',
      FUNCTIONS_DIR: '/mnt/functions',
      FUNCTIONS_SANDBOX: 'required',
      FUNCTIONS_PROCESSES_MAX: '3',
      ROOM_PROCESSES_MAX: '2',
      FUNCTIONS_STORAGE_MAX_MB: '5',
      SVC_NODE_URL: 'http://10.0.0.7:8787',
      SVC_UNAVAILABLE_FEATURES: 'voice, hosting',
      SVC_BRAND: 'Star Games',
      SVC_GITHUB_CLIENT_ID: 'gid',
      SVC_GITHUB_CLIENT_SECRET: 'gsecret',
      SVC_X_CLIENT_ID: 'xid',
      SVC_X_CLIENT_SECRET: 'xsecret',
      SVC_X_SIGN_IN_CHARGED: 'on',
      SVC_REFRESH_GRACE_SECONDS: '5',
      SVC_SKEW_PROTECTION: 'off',
      SVC_PROVIDER_ENDPOINTS: join(folder, 'endpoints.json'),
      SVC_TEST_CLOCK: 'on',
      SVC_CARDS: 'off',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, x-team = a%2Cb',
      OTEL_SERVICE_NAME: 'games',
      OTEL_TRACES_SAMPLER_ARG: '0.5',
      STRIPE_SECRET_KEY: 'sk_live',
      STRIPE_WEBHOOK_SECRET: 'whsec',
      SVC_PRICES: join(folder, 'prices.json'),
    })

    assert.deepEqual(settings, {
      listen: { host: '::1', port: 80 },
      baseUrl: 'https://api.example.com',
      appsDomain: 'apps.example.com',
      dataDir: folder,
      logLevel: 'warn',
      logFormat: 'pretty',
      databaseUrl: 'postgres://svc:pw@db/svc',
      postgresPrepare: false,
      sqliteSync: 'each',
      shipping: { everyMs: 10_000, bytesMax: 100_000_000 },
      redisUrl: 'rediss://cache:6380/2',
      redisPrefix: 'staging:',
      blobs: {
        dataDir: folder,
        url: 's3://files/a/b?endpoint=http://127.0.0.1:9000&region=eu-1',
        credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: undefined },
        hasOtherNodes: true,
      },
      backup: {
        everyHours: 6,
        keep: { days: 3, weeks: 0, months: 12 },
        url: 's3://backups',
        credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: undefined },
        key: secretKey,
      },
      mail: { smtpUrl: 'smtp://mail:25', from: 'Star Games <no-reply@example.com>' },
      cards: { driver: 'off' },
      turn: { provider: 'embedded', host: '::', port: 3479, publicIp: '2001:db8::7' },
      voice: { host: '::', port: 3490, publicIp: '2001:db8::7', repairsTurn: false, minutesMax: 60 },
      secretKey,
      trustedProxies: 1,
      stopDelayMs: 5_000,
      metricsReaders: { token: 'm' },
      tracing: {
        endpoint: 'http://127.0.0.1:4318',
        headers: { authorization: 'Bearer x', 'x-team': 'a,b' },
        serviceName: 'games',
        sampleRatio: 0.5,
      },
      rateLimits: {
        publicPerMinute: 5,
        secretPerMinute: 12_000,
        developerPerMinute: 1_200,
        signInPerMinute: 120,
        signInFailures: { perAddressMax: 10, perAccountMax: 100 },
        guestsPerMinute: 120,
      },
      functions: {
        folder: '/mnt/functions',
        sandbox: 'required',
        processesMax: 3,
        roomProcessesMax: 2,
        storageBytesMax: 5_000_000,
        nodeUrl: 'http://10.0.0.7:8787',
        isShared: true,
      },
      unavailableFeatures: ['voice', 'hosting'],
      brand: 'Star Games',
      operatorName: 'Star Games',
      isLocal: false,
      developerSignIn: { google: undefined, github: { clientId: 'gid', clientSecret: 'gsecret' } },
      sharedXApp: { clientId: 'xid', clientSecret: 'xsecret' },
      xSignInCharged: true,
      refreshGraceSeconds: 5,
      skewProtection: false,
      saves: { bytesMax: 2048, perPlayerMax: 7 },
      providerEndpoints: endpoints,
      payments: {
        provider: 'stripe',
        secretKey: 'sk_live',
        webhookSecret: 'whsec',
        apiBaseUrl: 'http://127.0.0.1:12',
      },
      prices,
      signUp: 'first',
      testClock: true,
      warnings: [],
    })
  })

  test('[GEN-13] turn the general rate limits off with one variable', () => {
    assert.equal(readSettings({ SVC_RATE_LIMITS: 'off' }).rateLimits, 'off')
  })

  test('[GEN-13] have the documented limits by default', () => {
    const defaults = Object.fromEntries(settingsTable().map((row) => [row.name, row.default]))
    assert.equal(defaults['SVC_LIMIT_PUBLIC_PER_MINUTE'], '3000')
    assert.equal(defaults['SVC_LIMIT_SIGN_IN_FAILURES'], '10')
    assert.equal(defaults['SVC_LIMIT_SIGN_IN_FAILURES_PER_ACCOUNT'], '100')
  })

  test('[P2P-03] choose TURN: the embedded relay, a server of the operator, or a provider', async (t) => {
    const turnOf = (env: Record<string, string>) => readSettings(env).turn
    assert.deepEqual(turnOf({}), {
      provider: 'embedded',
      host: '127.0.0.1',
      port: 3478,
      publicIp: undefined,
    })
    assert.deepEqual(turnOf({ PUBLIC_IP: '192.0.2.7', TURN_PORT: '0' }), {
      provider: 'embedded',
      host: '0.0.0.0',
      port: 0,
      publicIp: '192.0.2.7',
    })
    assert.deepEqual(
      turnOf({ TURN_URLS: 'turn:a.example:3478?transport=udp, turns:[::1]', TURN_SECRET: 's' }),
      {
        provider: 'coturn',
        urls: ['turn:a.example:3478?transport=udp', 'turns:[::1]'],
        secret: 's',
      },
    )
    assert.deepEqual(turnOf({ TURN_PROVIDER: 'none' }), { provider: 'none' })

    const folder = await mkdtemp(join(tmpdir(), 'svc-settings-'))
    t.after(() => rm(folder, { recursive: true }))
    const path = join(folder, 'endpoints.json')
    await writeFile(path, JSON.stringify({ twilio: { apiBaseUrl: 'http://127.0.0.1:9' } }))
    const cloudflare = { TURN_PROVIDER: 'cloudflare', TURN_KEY_ID: 'k', TURN_API_TOKEN: 't' }
    const twilio = { TURN_PROVIDER: 'twilio', TWILIO_ACCOUNT_SID: 'a', TWILIO_AUTH_TOKEN: 't' }
    assert.deepEqual(turnOf({ ...cloudflare, SVC_PROVIDER_ENDPOINTS: path }), {
      provider: 'cloudflare',
      keyId: 'k',
      apiToken: 't',
      apiBaseUrl: undefined,
    })
    assert.deepEqual(turnOf({ ...twilio, SVC_PROVIDER_ENDPOINTS: path }), {
      provider: 'twilio',
      accountSid: 'a',
      authToken: 't',
      apiBaseUrl: 'http://127.0.0.1:9',
    })
  })

  test('[OPS-12] require the full sandbox for functions behind a proxy on the same machine', () => {
    assert.equal(readSettings({ SVC_BASE_URL: 'https://api.example.com' }).functions.sandbox, 'required')
    assert.equal(readSettings({ SVC_BASE_URL: 'http://localhost:8787' }).functions.sandbox, 'preferred')
  })

  test('are frozen objects', () => {
    const settings = readSettings({})
    assert.throws(() => Object.assign(settings, { dataDir: '/' }), TypeError)
    assert.throws(() => Object.assign(settings.listen, { port: 1 }), TypeError)
  })

  test('are documented in one table, each with its default', () => {
    const table = settingsTable()
    assert.ok(table.length > 25)
    for (const row of table) assert.ok(row.description.endsWith('.'), row.name)
    assert.deepEqual(table[2], {
      name: 'SVC_BASE_URL',
      default: 'http://localhost:<PORT>',
      description: 'Public URL of the service, also used in email links. The same on every node.',
    })
  })
})

describe('problems with settings', () => {
  test('are all reported together: the variable and what is expected, without the value', () => {
    const problems = problemsOf({
      PORT: '70000',
      SVC_BASE_URL: 'example.com',
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      SVC_TRUSTED_PROXIES: '-1',
      SVC_GOOGLE_CLIENT_ID: 'x',
    })

    assert.deepEqual(problems, [
      'PORT must be a whole number from 1 to 65535.',
      'SVC_BASE_URL must be a URL without a path, such as https://api.example.com.',
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://.',
      'SVC_TRUSTED_PROXIES must be a whole number from 0 to 10.',
      'SVC_GOOGLE_CLIENT_SECRET is required when SVC_GOOGLE_CLIENT_ID is set.',
    ])
    assert.doesNotMatch(new SettingsError(problems).message, /hunter2/)
    assert.match(new SettingsError(problems).message, /PORT must.*\n.*SVC_BASE_URL must/)
  })

  const wrong: [string, string[]][] = [
    ['HOST', ['not a host', '300.0.0.1:80', '-a', 'abc', 'example.com', '300.0.0.1']],
    ['PORT', ['0', '65536', '1.5', 'http', '1e3', '0x50']],
    ['SVC_BASE_URL', ['ftp://a', 'https://a/path', 'https://a?b', 'https://u:p@a', 'https://']],
    ['SVC_APPS_DOMAIN', ['https://apps', 'apps/', '.apps', 'a..b']],
    ['LOG_LEVEL', ['loud', 'INFO']],
    ['LOG_FORMAT', ['text', 'JSON']],
    [
      'DATABASE_URL',
      ['postgres', 'postgres://', 'sqlite://x', 'postgres://a,,b/x', 'postgres://a:99999,b/x'],
    ],
    ['SVC_POSTGRES_PREPARE', ['no']],
    [
      'REDIS_URL',
      [
        'http://redis',
        'redis',
        'redis+sentinel://a:26379',
        'redis+sentinel:///svc',
        'redis+sentinel://a/svc/x',
      ],
    ],
    ['SVC_BLOBS_URL', ['bucket', 's3://', 'https://s3', 's3://b?endpoint=nowhere', 's3://b/a%20b']],
    ['SMTP_URL', ['mail.example.com', 'http://mail']],
    ['SVC_MAIL_FROM', ['nobody', 'A <a@b', 'a@b\nBcc: c@d', 'A <a@b> x']],
    ['PUBLIC_IP', ['example.com', '192.0.2', '192.0.2.1:3478', '0x7f000001']],
    ['TURN_PORT', ['65536', '-1', 'udp']],
    ['VOICE_PORT', ['65535', '-1', 'udp']],
    ['SVC_VOICE_MAX_MINUTES', ['0', '1441', 'long']],
    [
      'TURN_URLS',
      [',', 'turn', 'stun:a.example', 'https://a.example', 'turn:a?transport=sctp', 'turn:a turn:b'],
    ],
    ['TURN_PROVIDER', ['coturn', 'Twilio', 'off']],
    ['SVC_SECRET_KEY', ['password', 'ab'.repeat(31), `${secretKey},x`]],
    ['SVC_TRUSTED_PROXIES', ['11', 'all', '127.0.0.1']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['localhost:4318', 'grpc://a', 'http://']],
    ['OTEL_EXPORTER_OTLP_HEADERS', ['a', '=b', 'a=%zz', 'a b=c', 'a=%0d%0ab', 'a=b c']],
    ['OTEL_TRACES_SAMPLER_ARG', ['2', '-1', '1%', '1e-3', '.', 'all']],
    ['SVC_RATE_LIMITS', ['yes', 'true', '0']],
    ['SVC_LIMIT_PUBLIC_PER_MINUTE', ['0', '1000001', 'many']],
    ['SVC_UNAVAILABLE_FEATURES', ['voices', 'voice;hosting', 'toString']],
    ['SVC_PROVIDER_ENDPOINTS', ['/there/is/no/such/file.json']],
    ['SVC_TEST_CLOCK', ['true']],
  ]
  for (const [name, texts] of wrong) {
    test(`${name} rejects ${JSON.stringify(texts)}`, () => {
      for (const text of texts)
        assert.ok(problemsOf({ [name]: text })[0]?.startsWith(`${name} must be `), text)
    })
  }

  test('the file of provider endpoints must contain known providers with web addresses', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-settings-'))
    t.after(() => rm(folder, { recursive: true }))
    const path = join(folder, 'endpoints.json')
    for (const content of [
      '',
      '[]',
      '{"gogle":{"issuer":"https://a"}}',
      '{"google":{"isuer":"https://a"}}',
      '{"google":{"issuer":"a"}}',
    ]) {
      await writeFile(path, content)
      assert.match(
        problemsOf({ SVC_PROVIDER_ENDPOINTS: path })[0] ?? '',
        /^SVC_PROVIDER_ENDPOINTS must be the path/,
        content,
      )
    }
  })

  test('[OPS-50] several hosts of PostgreSQL require target_session_attrs=read-write', () => {
    const pair = 'postgres://svc:pw@one:5432,[::1]:5433/svc'
    assert.deepEqual(problemsOf({ DATABASE_URL: pair }), [
      'DATABASE_URL names several hosts: add target_session_attrs=read-write, so that the service finds the one that accepts writes.',
    ])
    assert.deepEqual(problemsOf({ DATABASE_URL: `${pair}?target_session_attrs=standby` }), [
      'DATABASE_URL: target_session_attrs must be read-write, because the service writes.',
    ])
    const right = `${pair}?target_session_attrs=read-write`
    assert.deepEqual(problemsOf({ DATABASE_URL: right, SVC_POSTGRES_PREPARE: 'off' }), [
      'SVC_POSTGRES_PREPARE=off is for a pooler: DATABASE_URL must name only the pooler.',
    ])
    assert.equal(readSettings({ DATABASE_URL: right }).databaseUrl, right)
  })

  test('S3 requires its credentials, SMTP its sender, a client id its secret and a secret its client id', () => {
    assert.deepEqual(
      problemsOf({ SVC_BLOBS_URL: 's3://b', SMTP_URL: 'smtp://m', SVC_GITHUB_CLIENT_SECRET: 'x' }),
      [
        'AWS_ACCESS_KEY_ID is required when SVC_BLOBS_URL is set.',
        'AWS_SECRET_ACCESS_KEY is required when SVC_BLOBS_URL is set.',
        'SVC_MAIL_FROM is required when SMTP_URL is set.',
        'SVC_GITHUB_CLIENT_ID is required when SVC_GITHUB_CLIENT_SECRET is set.',
      ],
    )
    assert.deepEqual(problemsOf({ SVC_BACKUP_URL: 's3://b' }), [
      'AWS_ACCESS_KEY_ID is required when SVC_BACKUP_URL is set.',
      'AWS_SECRET_ACCESS_KEY is required when SVC_BACKUP_URL is set.',
      'SVC_BACKUP_KEY is required when SVC_BACKUP_URL is set.',
    ])
    const ownHalf = { SVC_BACKUP_URL: 's3://b', SVC_BACKUP_KEY: secretKey, SVC_BACKUP_ACCESS_KEY_ID: 'own' }
    assert.deepEqual(problemsOf(ownHalf), [
      'SVC_BACKUP_SECRET_ACCESS_KEY is required when SVC_BACKUP_ACCESS_KEY_ID is set.',
    ])
    for (const keep of ['7', 'd', '7w4d', '-1d', '1000d'])
      assert.deepEqual(problemsOf({ SVC_BACKUP_KEEP: keep }), [
        'SVC_BACKUP_KEEP must be a number of days, weeks and months such as 7d4w6m.',
      ])
  })

  test('[OPS-58] backups have credentials of their own, otherwise those of the files', () => {
    const shared = {
      SVC_BACKUP_URL: 's3://b',
      SVC_BACKUP_KEY: secretKey,
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'token',
    }
    const own = { SVC_BACKUP_ACCESS_KEY_ID: 'own', SVC_BACKUP_SECRET_ACCESS_KEY: 'other' }
    const ofFiles = { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' }
    const ofBackups = { accessKeyId: 'own', secretAccessKey: 'other', sessionToken: undefined }
    assert.deepEqual(readSettings(shared).backup.credentials, ofFiles)
    const { backup, blobs } = readSettings({ ...shared, ...own })
    assert.deepEqual([backup.credentials, blobs.credentials], [ofBackups, ofFiles])
    const { SVC_BACKUP_URL, SVC_BACKUP_KEY } = shared
    assert.deepEqual(readSettings({ SVC_BACKUP_URL, SVC_BACKUP_KEY, ...own }).backup.credentials, ofBackups)
  })

  test('[VOI-10] voice has a port, a maximum duration, and listens on all addresses with PUBLIC_IP', () => {
    const voiceOf = (env: Record<string, string>) => readSettings(env).voice
    const usual = { host: '127.0.0.1', port: 3481, publicIp: undefined, repairsTurn: false, minutesMax: 240 }
    assert.deepEqual(voiceOf({}), usual)
    assert.deepEqual(voiceOf({ PUBLIC_IP: '192.0.2.7', VOICE_PORT: '0', SVC_VOICE_MAX_MINUTES: '1' }), {
      ...usual,
      host: '0.0.0.0',
      port: 0,
      publicIp: '192.0.2.7',
      minutesMax: 1,
    })
    assert.equal(voiceOf({ PUBLIC_IP: '2001:db8::1' }).host, '::')
    assert.equal(voiceOf({ TURN_URLS: 'turn:a', TURN_SECRET: 's' }).repairsTurn, true)
    assert.equal(voiceOf({ TURN_PROVIDER: 'none' }).repairsTurn, false)
  })

  test('[VOI-01] the ports of voice, TURN and HTTP must differ', () => {
    const taken = ['VOICE_PORT and TURN_PORT must be different.']
    assert.deepEqual(problemsOf({ VOICE_PORT: '3478' }), taken)
    assert.deepEqual(problemsOf({ VOICE_PORT: '3477' }), taken)
    assert.deepEqual(problemsOf({ VOICE_PORT: '3476' }), [])
    assert.deepEqual(problemsOf({ VOICE_PORT: '3478', TURN_PROVIDER: 'none' }), [])
    assert.deepEqual(problemsOf({ VOICE_PORT: '0', TURN_PORT: '0' }), [])
    assert.deepEqual(problemsOf({ VOICE_PORT: '8787' }), ['VOICE_PORT and PORT must be different.'])
  })

  test('[P2P-03] TURN requires its secret, a provider its key, and only one of them can be set', () => {
    assert.deepEqual(problemsOf({ TURN_URLS: 'turn:a' }), ['TURN_SECRET is required when TURN_URLS is set.'])
    assert.deepEqual(problemsOf({ TURN_SECRET: 's' }), ['TURN_URLS is required when TURN_SECRET is set.'])
    assert.deepEqual(problemsOf({ TURN_PROVIDER: 'cloudflare' }), [
      'TURN_KEY_ID is required when TURN_PROVIDER is set.',
      'TURN_API_TOKEN is required when TURN_PROVIDER is set.',
    ])
    assert.deepEqual(problemsOf({ TURN_PROVIDER: 'twilio', TWILIO_ACCOUNT_SID: 'a' }), [
      'TWILIO_AUTH_TOKEN is required when TURN_PROVIDER is set.',
    ])
    assert.deepEqual(problemsOf({ TURN_PROVIDER: 'none', TURN_URLS: 'turn:a', TURN_SECRET: 's' }), [
      'Set either TURN_PROVIDER or TURN_URLS, not both.',
    ])
  })

  test('the file of prices must contain known components with whole numbers, each once', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-settings-'))
    t.after(() => rm(folder, { recursive: true }))
    const good = { component: 'functions.requests', per: 1, microUsd: 0 }
    const bad = [
      good,
      [{ ...good, component: 'saves' }],
      [{ ...good, per: 0 }],
      [{ ...good, microUsd: -1 }],
      [{ ...good, microUsd: 1.5 }],
      [{ ...good, per: '1' }],
      [{ ...good, price: 1 }],
      [good, good],
    ]
    const path = join(folder, 'prices.json')
    for (const content of bad) {
      await writeFile(path, JSON.stringify(content))
      assert.equal(problemsOf({ SVC_PRICES: path }).length, 1, JSON.stringify(content))
    }
    await writeFile(path, JSON.stringify([good]))
    assert.deepEqual(readSettings({ SVC_PRICES: path }).prices, [good])
  })

  test('payments: off, the test checkout, or Stripe with both of its secrets', () => {
    assert.deepEqual(
      readSettings({ SVC_BILLING: 'off', STRIPE_SECRET_KEY: 'a', STRIPE_WEBHOOK_SECRET: 'b' }).payments,
      {
        provider: 'off',
      },
    )
    assert.deepEqual(readSettings({}).payments, { provider: 'test' })
    assert.equal(problemsOf({ STRIPE_SECRET_KEY: 'a' }).length, 1)
    assert.equal(problemsOf({ STRIPE_WEBHOOK_SECRET: 'a' }).length, 1)
  })

  test('the test clock is rejected if the service is reachable from other machines', () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1']) {
      assert.match(
        problemsOf({ SVC_TEST_CLOCK: 'on', HOST: host })[0] ?? '',
        /^SVC_TEST_CLOCK requires a loopback HOST/,
      )
    }
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      assert.equal(readSettings({ SVC_TEST_CLOCK: 'on', HOST: host }).testClock, true)
    }
  })
})

test('[DEV-01] sign-up is open by default only if the service is not reachable from other machines', () => {
  const modeOf = (env: Record<string, string>) => {
    const { signUp, isLocal } = readSettings(env)
    if (env['SVC_SIGN_UP'] === undefined) assert.equal(isLocal, signUp === 'open')
    return signUp
  }
  const addresses = [
    'http://localhost:8787',
    'http://game.localhost',
    'http://127.0.0.1:80',
    'http://[::1]:8787',
  ]
  for (const SVC_BASE_URL of addresses) assert.equal(modeOf({ SVC_BASE_URL }), 'open', SVC_BASE_URL)
  assert.equal(modeOf({}), 'open')
  assert.equal(modeOf({ SVC_TRUSTED_PROXIES: '1' }), 'first', 'there is a proxy in front')
  for (const HOST of ['0.0.0.0', '::', '192.0.2.1']) assert.equal(modeOf({ HOST }), 'first', HOST)
  for (const SVC_BASE_URL of [
    'https://api.example.com',
    'http://localhost.example.com',
    'http://192.168.1.2',
  ])
    assert.equal(modeOf({ SVC_BASE_URL }), 'first', SVC_BASE_URL)

  for (const SVC_SIGN_UP of ['open', 'first', 'closed'])
    assert.equal(modeOf({ SVC_SIGN_UP, HOST: '0.0.0.0' }), SVC_SIGN_UP)
  assert.throws(() => modeOf({ SVC_SIGN_UP: 'yes' }), /SVC_SIGN_UP must be one of open, first, closed/)
})

test('news name the operator: by SVC_OPERATOR_NAME, else by SVC_BRAND, else by the host of a public URL', () => {
  const nameIn = (env: Record<string, string>) => readSettings(env).operatorName
  const publicUrl = { SVC_BASE_URL: 'https://api.example.com' }
  assert.equal(nameIn({}), 'svc')
  assert.equal(nameIn({ SVC_BASE_URL: 'http://localhost:8787' }), 'svc')
  assert.equal(nameIn(publicUrl), 'api.example.com')
  assert.equal(nameIn({ ...publicUrl, SVC_BRAND: 'Starbase' }), 'Starbase')
  assert.equal(
    nameIn({ ...publicUrl, SVC_BRAND: 'Starbase', SVC_OPERATOR_NAME: ' Star Games ' }),
    'Star Games',
  )
  for (const SVC_OPERATOR_NAME of ['x'.repeat(61), 'two\nlines'])
    assert.throws(() => nameIn({ SVC_OPERATOR_NAME }), /SVC_OPERATOR_NAME must be a name/)
})

describe('warnings about settings', () => {
  test('suggest the right name for a misspelled one', () => {
    assert.deepEqual(
      readSettings({ SVC_BASE_ULR: 'x', SVC_SOMETHING_QUITE_ELSE: 'x', OTHER: 'x' }).warnings,
      [
        'SVC_BASE_ULR is not a setting: did you mean SVC_BASE_URL?',
        'SVC_SOMETHING_QUITE_ELSE is not a setting and does nothing.',
      ],
    )
  })

  test('warn about missing settings of a service on the internet', () => {
    const namesIn = (env: Record<string, string>) =>
      readSettings(env).warnings.map((warning) => warning.split(' ')[0])

    assert.deepEqual(namesIn({ HOST: '0.0.0.0' }), ['HOST', 'SVC_BILLING', 'SMTP_URL', 'SVC_APPS_DOMAIN'])
    assert.deepEqual(namesIn({ HOST: '0.0.0.0', SVC_BILLING: 'off' }), [
      'HOST',
      'SMTP_URL',
      'SVC_APPS_DOMAIN',
    ])
    const withoutToken = { SVC_BASE_URL: 'https://a.example', SVC_TRUSTED_PROXIES: '1' }
    assert.deepEqual(namesIn({ SVC_BASE_URL: 'https://a.example' }), [
      'SVC_BASE_URL',
      'PUBLIC_IP',
      'SVC_METRICS_TOKEN',
    ])
    const behindProxy = { ...withoutToken, SVC_METRICS_TOKEN: 'x' }
    assert.deepEqual(namesIn(withoutToken), ['PUBLIC_IP', 'SVC_METRICS_TOKEN'])
    assert.deepEqual(namesIn(behindProxy), ['PUBLIC_IP'])
    assert.deepEqual(namesIn({ ...behindProxy, PUBLIC_IP: '192.0.2.7' }), [])
    assert.deepEqual(namesIn({ ...behindProxy, TURN_PROVIDER: 'none' }), [])
    assert.deepEqual(namesIn({ REDIS_URL: 'redis://r' }), [
      'SVC_SECRET_KEY',
      'SVC_BLOBS_URL',
      'Functions',
      'SVC_BACKUP_URL',
    ])
    assert.deepEqual(namesIn({ REDIS_URL: 'redis://r', SVC_BACKUP_HOURS: '0' }), [
      'SVC_SECRET_KEY',
      'SVC_BLOBS_URL',
      'Functions',
    ])
    assert.deepEqual(namesIn({ SVC_SIGN_UP: 'open' }), [])
    assert.deepEqual(namesIn({ ...behindProxy, PUBLIC_IP: '192.0.2.7', SVC_SIGN_UP: 'open' }), [
      'SVC_SIGN_UP',
    ])
  })
})
