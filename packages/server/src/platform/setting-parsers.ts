import { readFileSync } from 'node:fs'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isIP } from 'node:net'

import { FEATURES, type FeatureName } from '@svc/contract/common/features'
import { USAGE_COMPONENTS, type UsageComponent } from '@svc/contract/money'

import { parsePostgresUrl, parseRedisUrl } from './engine-urls.ts'
import { SECRET_KEY_SHAPE, parseSecretKeys } from './security/vault.ts'

/** Parses the text of a setting; returns `undefined` if it is invalid. */
export type Kind<T> = { mustBe: string; read(text: string): T | undefined }

const when = (mustBe: string, isRight: (text: string) => unknown): Kind<string> => ({
  mustBe,
  read: (text) => (isRight(text) ? text : undefined),
})

/** Accepts every text. */
export const anyText = when('text', () => true)

/** A name on one line. */
export const shortName: Kind<string> = {
  mustBe: 'a name of 1 to 60 characters on one line',
  read: (text) => (/^[^\p{Cc}\p{Zl}\p{Zp}]{1,60}$/u.test(text.trim()) ? text.trim() : undefined),
}

/** The beginning of names in Redis; ends with a colon. */
export const redisPrefix: Kind<string> = {
  mustBe: '1 to 64 letters, digits, `.`, `_`, `-` or `:`',
  read: (text) => (/^[\w.:-]{1,64}$/.test(text) ? text.replace(/:?$/, ':') : undefined),
}

/** A whole number of at most nine digits, from `min` to `max`, both included. */
export const wholeNumber = (min: number, max: number): Kind<number> => ({
  mustBe: `a whole number from ${min} to ${max}`,
  read: (text) => (/^\d{1,9}$/.test(text) && +text >= min && +text <= max ? +text : undefined),
})

/** A decimal number from 0 to 1. */
export const share: Kind<number> = {
  mustBe: 'a number from 0 to 1, such as 0.01',
  read: (text) => (/^(?:0|1|0?\.\d{1,9}|1\.0+)$/.test(text) ? Number(text) : undefined),
}

/** Headers as OpenTelemetry writes them: `name=value`, separated by commas; values are percent-encoded. */
export const headerList: Kind<Readonly<Record<string, string>>> = {
  mustBe: 'headers such as name=value, separated by commas, with percent-encoded values',
  read(text) {
    const pairs = listed(text).map((pair) => /^([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x7e]*)$/.exec(pair))
    try {
      return Object.fromEntries(
        pairs.map((pair) => {
          const [, name = '', value = ''] = pair ?? []
          validateHeaderName(name)
          validateHeaderValue(name, decodeURIComponent(value))
          return [name, decodeURIComponent(value)]
        }),
      )
    } catch {
      return undefined
    }
  },
}

/** One of these names, in exactly this case. */
export const oneOf = <const Name extends string>(...names: Name[]): Kind<Name> => ({
  mustBe: `one of ${names.join(', ')}`,
  read: (text) => names.find((name) => name === text),
})

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

type Offered = FeatureName | 'functions'
const OFFERED = [...Object.keys(FEATURES), 'functions']

/** Names of features, separated by commas. An empty text is an empty list. */
export const features: Kind<readonly Offered[]> = {
  mustBe: `comma-separated names out of ${OFFERED.join(', ')}`,
  read(text) {
    const names = listed(text)
    return names.every((name): name is Offered => OFFERED.includes(name)) ? names : undefined
  },
}

const HOST_NAME = /^[a-z0-9][a-z0-9-]{0,62}(\.[a-z0-9][a-z0-9-]{0,62})*$/

/** A host name in lower case, without a port. */
export const hostName = when('a host name in lower case, such as apps.example.com', (text) =>
  HOST_NAME.test(text),
)

/** An address of this machine to listen on. Another name would have to be looked up, and could be anything. */
export const listenHost = when(
  'an IP address such as 0.0.0.0',
  (text) => isIP(text) !== 0 || text === 'localhost',
)

/** An IPv4 or IPv6 address, without brackets. */
export const ipAddress = when('an IP address, such as 192.0.2.1 or 2001:db8::1', isIP)

const TURN_URL = /^turns?:([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(\?transport=(udp|tcp))?$/

/** URLs of TURN servers, separated by commas; at least one. */
export const turnUrls: Kind<readonly string[]> = {
  mustBe: 'comma-separated URLs such as turn:turn.example.com:3478?transport=udp',
  read(text) {
    const urls = listed(text)
    return urls.length > 0 && urls.every((url) => TURN_URL.test(url)) ? urls : undefined
  },
}

/** A URL with a host and one of these schemes. */
export const addressWith = (...schemes: string[]): Kind<string> =>
  when(`a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`, (text) => {
    const url = URL.parse(text)
    return url?.hostname && schemes.includes(url.protocol.slice(0, -1))
  })

/** One or several PostgreSQL servers. Which sessions are asked for is checked with the other contradictions. */
export const postgresUrl = when('a URL that begins with postgres:// or postgresql://', parsePostgresUrl)

/** A Redis, or Sentinels that know one. */
export const redisUrl = when(
  'a URL that begins with redis:// or rediss://, or is like redis+sentinel://one:26379,two:26379/<master name>',
  parseRedisUrl,
)

const webAddress = addressWith('http', 'https')

/** An http or https origin. It is returned without a slash at its end. */
export const origin: Kind<string> = {
  mustBe: 'a URL without a path, such as https://api.example.com',
  read(text) {
    const url = URL.parse(text)
    if (!url || !/^https?:$/.test(url.protocol)) return undefined
    return url.href === `${url.origin}/` ? url.origin : undefined
  },
}

/** The URL of an S3 bucket, with an optional prefix, endpoint and region. */
export const bucketUrl = when(
  's3://<bucket>/<prefix>?endpoint=https://<host>&region=<region>, of which only the bucket is required',
  (text) => {
    const url = URL.parse(text)
    const endpoint = url?.searchParams.get('endpoint')
    if (url?.protocol !== 's3:' || !url.hostname || !/^[\w./-]*$/.test(url.pathname)) return false
    return endpoint == null || webAddress.read(endpoint)
  },
)

/** How many days, weeks and months of backups are kept. */
export type BackupKeep = { days: number; weeks: number; months: number }

/** `7d4w6m`: 7 days, 4 weeks, 6 months; any of them may be left out. */
export const backupKeep: Kind<BackupKeep> = {
  mustBe: 'a number of days, weeks and months such as 7d4w6m',
  read(text) {
    const [all, days = 0, weeks = 0, months = 0] =
      /^(?=\d)(?:(\d{1,3})d)?(?:(\d{1,3})w)?(?:(\d{1,3})m)?$/.exec(text) ?? []
    return all === undefined
      ? undefined
      : { days: Number(days), weeks: Number(weeks), months: Number(months) }
  },
}

/** The text of one or more secret keys, as `parseSecretKeys` reads it. */
export const secretKeys = when(SECRET_KEY_SHAPE, parseSecretKeys)

/** An email address, with or without a name before it. */
export const mailSender = when('an email address, such as Example <no-reply@example.com>', (text) =>
  /^([^<>@\p{Cc}]+ <[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/u.test(text),
)

/** The endpoints of a provider that may be replaced. */
const ENDPOINTS: Record<string, readonly string[] | undefined> = {
  google: ['issuer'],
  github: ['authorizationEndpoint', 'tokenEndpoint', 'apiBaseUrl'],
  discord: ['authorizationEndpoint', 'tokenEndpoint', 'apiBaseUrl'],
  apple: ['issuer'],
  x: ['authorizationEndpoint', 'tokenEndpoint', 'apiBaseUrl'],
  cloudflare: ['apiBaseUrl'],
  twilio: ['apiBaseUrl'],
  stripe: ['apiBaseUrl'],
}

/** Provider → name of an endpoint → URL that replaces the standard one. */
export type ProviderEndpoints = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The path of a JSON file. The file is read here; a file that is missing or invalid makes the setting invalid. */
export const providerEndpoints: Kind<ProviderEndpoints> = {
  mustBe: `the path of a JSON file like { "google": { "issuer": "https://id.example.com" } }, with ${Object.entries(
    ENDPOINTS,
  )
    .map(([provider, names]) => `${provider}: ${names?.join(', ')}`)
    .join('; ')}`,
  read(path) {
    try {
      const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
      return isProviderEndpoints(content) ? content : undefined
    } catch {
      return undefined
    }
  },
}

const isProviderEndpoints = (content: unknown): content is ProviderEndpoints =>
  isObject(content) &&
  Object.entries(content).every(
    ([provider, endpoints]: [string, unknown]) =>
      isObject(endpoints) &&
      Object.entries(endpoints).every(
        ([name, address]) => ENDPOINTS[provider]?.includes(name) && isWebAddress(address),
      ),
  )

const isWebAddress = (value: unknown) => typeof value === 'string' && webAddress.read(value) !== undefined

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A price of the operator: `microUsd` millionths of a US dollar for every `per` units of the component. */
export type PriceSetting = { component: UsageComponent; per: number; microUsd: number }

/** The path of a JSON file with prices. The file is read here; a file that is missing or invalid makes the setting invalid. */
export const prices: Kind<readonly PriceSetting[]> = {
  mustBe: `the path of a JSON file like [{ "component": "functions.requests", "per": 1000000, "microUsd": 300000 }], with whole numbers and each component once, out of ${USAGE_COMPONENTS.join(', ')}`,
  read(path) {
    try {
      const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
      return isPrices(content) ? content : undefined
    } catch {
      return undefined
    }
  },
}

const isPrices = (content: unknown): content is PriceSetting[] =>
  Array.isArray(content) &&
  content.every(isPrice) &&
  new Set(content.map(({ component }) => component)).size === content.length

const isPrice = (value: unknown): value is PriceSetting =>
  isObject(value) &&
  Object.keys(value).sort().join() === 'component,microUsd,per' &&
  'component' in value &&
  USAGE_COMPONENTS.some((component) => component === value.component) &&
  'per' in value &&
  Number.isSafeInteger(value.per) &&
  Number(value.per) >= 1 &&
  'microUsd' in value &&
  Number.isSafeInteger(value.microUsd) &&
  Number(value.microUsd) >= 0
