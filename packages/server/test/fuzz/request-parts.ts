import { createHash } from 'node:crypto'

import type { Address } from '@svc/contract/common/endpoint'
import type { NamedEndpoint } from '@svc/contract/common/endpoints'
import { ConfigDocument } from '@svc/contract/config/document'
import { checkConfig } from '@svc/contract/config/rules'
import * as fc from 'fast-check'
import type { TSchema } from 'typebox'

import { BOARD_KEY, type Fixtures, SAVE_KEY, SECRET_NAME, type TestDeveloper } from './fixtures.ts'
import { nearValid, valid, type Values } from './values.ts'

/** A part of a request: valid, and with one fault. */
export type Part<T> = { right: fc.Arbitrary<T>; off: fc.Arbitrary<T> }

/** Values of existing objects, which a schema does not contain. */
const environments = fc.constantFrom('development', 'dev', 'production', 'prod')
const providers = fc.constantFrom('google', 'github', 'discord', 'discord', 'apple', 'x')

export function pathOf(
  { params }: NamedEndpoint,
  address: Address,
  person: TestDeveloper,
  fixtures: Fixtures,
): Part<string[]> {
  const known: Record<string, Values> = {
    projectId: fc.constant(person.project.id),
    keyId: fc.constantFrom(...person.keys),
    env: environments,
    provider: providers,
    version: fc.constantFrom(1, 1, 2, 3),
    ref: fc.constantFrom(1, 1, 2, 3, 'dpl_0'),
    sha256: fc.constant(FILE.sha256),
    label: fc.constantFrom(person.project.slug, `${person.project.slug}--dev`),
    shareId: fc.constant(person.shareId),
    playerId: fc.constantFrom(...person.playerIds),
    developerId: fc.constant(fixtures.memberId),
    invitationId: fc.constant(fixtures.invitation.id),
    agentId: fc.constant(fixtures.agentId),
    approvalId: fc.constant(fixtures.approvalId),
    ...(address.path.includes('/saves/') && { key: fc.constant(SAVE_KEY) }),
    ...(address.path.includes('/leaderboards/') && { key: fc.constant(BOARD_KEY) }),
    ...(address.path.includes('/secrets/') && { name: fc.constant(SECRET_NAME) }),
  }
  const { canary, otherDeveloper } = fixtures
  const foreign = fc.constantFrom(
    canary.id,
    canary.keyId,
    otherDeveloper.project.id,
    ...otherDeveloper.keys,
    'prj_0',
    'key_0',
  )
  const schemas = propertiesOf(params)
  const parts = address.path.split('/').slice(1)

  const right = (name: string): Values => known[name] ?? valid(schemas[name] ?? { type: 'string' })
  const off = (name: string): Values =>
    fc.oneof(right(name), foreign, nearValid(schemas[name] ?? { type: 'string', maxLength: 64 }))
  const filled = (valueOf: (name: string) => Values) =>
    fc.tuple(
      // An empty segment would be another path.
      ...parts.map((part) => {
        const [, name, suffix] = /^:(\w+)(.*)$/.exec(part) ?? []
        if (name === undefined) return fc.constant(part)
        return valueOf(name).map((value) => `${percentEncoded(value) || '-'}${suffix}`)
      }),
    )
  return { right: filled(right), off: filled(off) }
}

export function queryOf({ query }: { query?: unknown }): Part<string> {
  const fields = Object.entries(propertiesOf(query))
  const known: Record<string, Values> = { env: environments, domain: fc.constant('localhost') }
  const written = (made: (schema: TSchema, name: string) => Values) =>
    fc
      .tuple(
        ...fields.map(([name, schema]) =>
          fc.option(made(schema, name).map((value) => `${name}=${percentEncoded(value)}`)),
        ),
      )
      .map((pairs) => pairs.filter((pair) => pair !== null).join('&'))
  return {
    right: written((schema, name) => known[name] ?? valid(schema)),
    off: written(nearValid),
  }
}

/** The blob that is uploaded, deployed and referred to. */
const FILE = { path: 'index.html', sha256: createHash('sha256').update('svc').digest('hex'), size: 3 }

export function bodyOf(
  { name, body, bytesBody }: NamedEndpoint,
  fixtures: Fixtures,
): Part<Buffer | undefined> {
  const none = fc.constant(undefined)
  if (bytesBody)
    return { right: fc.constant(Buffer.from('svc')), off: fc.uint8Array().map((bytes) => Buffer.from(bytes)) }
  if (!body) return { right: none, off: fc.oneof(none, fc.jsonValue().map(asJson)) }
  // The schema accepts anything, because the rules of the document report what is wrong with it.
  if (name === 'pushConfig')
    return {
      right: valid(ConfigDocument).map(mended).map(asJson),
      off: nearValid(ConfigDocument).map(asJson),
    }

  const known = knownBodies(fixtures)[name]
  const right = known ? fc.oneof(fc.constantFrom<unknown>(...known), valid(body)) : valid(body)
  return { right: right.map(asJson), off: nearValid(body).map(asJson) }
}

const knownBodies = ({
  caller: own,
  developerFor: personFor,
  password,
  memberId,
  invitation,
}: Fixtures): Record<string, object[]> => ({
  signUp: [{ email: own.email, password }],
  logIn: [{ email: own.email, password }],
  forgotPassword: [{ email: own.email }],
  verifyEmail: [{ token: personFor('verifyEmail').verifyToken }],
  changePassword: [{ password, currentPassword: password }],
  startSignIn: [{ redirectUrl: 'http://localhost:3000/back', challenge: 'c'.repeat(43) }],
  writeProviderCredentials: [{ clientId: 'id', clientSecret: 'secret' }, { testProvider: true }],
  createDeployment: [{ files: [FILE] }, { files: [FILE, { ...FILE, path: 'a/b.css' }], message: 'fuzz' }],
  findInvitation: [{ token: invitation.token }],
  offerTransfer: [{ developerId: memberId, password }],
  createAgent: [{ label: 'fuzz' }],
  moveClock: [{ advanceMs: 0 }, { advanceMs: 1_000 }],
})

/** Without the sections whose rules are not in a schema: URLs, time zones, names that must be unique. */
function mended(document: unknown): unknown {
  const broken = checkConfig(document, { environment: 'production' }).map(
    ({ path }) => /^\$\.(\w+)/.exec(path)?.[1],
  )
  return Object.fromEntries(
    Object.entries(document as object).filter(([section]) => !broken.includes(section)),
  )
}

const propertiesOf = (schema: unknown): Record<string, TSchema> =>
  (schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}

const asJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? 'null')

/** Unlike encodeURIComponent, it accepts a lone surrogate. */
const percentEncoded = (value: unknown): string =>
  encodeURIComponent((typeof value === 'string' ? value : String(JSON.stringify(value))).toWellFormed())
