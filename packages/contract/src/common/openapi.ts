import type { TSchema } from 'typebox'

import { GrantedTool } from '../developers/agents.ts'
import { GRANTABLE_TOOLS } from './agent-tool-list.ts'
import { type Address, addressesOf, type Endpoint, errorsOf, isDestructive } from './endpoint.ts'
import { type NamedEndpoint, PARTS, type Part } from './endpoints.ts'
import { messageTemplateOf } from './error-messages.ts'
import { type ErrorCode, ERRORS } from './errors.ts'
import { published, publishedParts } from './openapi-schemas.ts'
import { Deleted, Empty, EnvironmentParams } from './schemas.ts'

/** An OpenAPI 3.1 document. */
export type OpenApi = {
  openapi: '3.1.0'
  info: object
  servers: object[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, object>
}

type Operation = { operationId: string; [field: string]: unknown }
type Schemas = Record<string, TSchema>

/** The contract as an OpenAPI 3.1 document. An admin endpoint has two operations, one for each of its URLs. */
export function openApi({ baseUrl, version, parts = PARTS }: OpenApiOptions): OpenApi {
  const shapes = namedSchemas(parts)
  const names = new Map<unknown, string>(Object.entries(shapes).map(([name, shape]) => [shape, name]))
  names.set(GrantedTool, 'GrantedTool')
  const paths: OpenApi['paths'] = {}
  for (const { title, endpoints } of parts) {
    for (const endpoint of endpoints) {
      for (const address of addressesOf(endpoint)) {
        const path = address.path.replace(/:(\w+)/g, '{$1}')
        paths[path] = {
          ...paths[path],
          [address.method.toLowerCase()]: operation(title, endpoint, address),
        }
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version,
      summary: 'One self-hostable backend for web apps and games.',
      license: LICENSE,
    },
    servers: [{ url: baseUrl }],
    tags: parts.map(({ title, about }) => ({ name: title, description: about })),
    paths: published(paths, names) as OpenApi['paths'],
    components: {
      schemas: { Error: ERROR_SHAPE, GrantedTool: GRANTED_TOOL, ...components(shapes, names) },
      responses: allRefusals(parts),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** Every object that a request or response consists of has a name, so that generated clients have readable types. */
function namedSchemas(parts: readonly Part[]): Schemas {
  const shapes = Object.assign({ Deleted, Empty }, ...parts.map((part) => part.shapes)) as Schemas
  const known = new Set<unknown>(Object.values(shapes))
  const endpoints = parts.flatMap((part) => part.endpoints).toSorted((a, b) => a.name.length - b.name.length)
  for (const { name, body, response } of endpoints) {
    const base = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    for (const [schema, ending] of [
      [body, 'Request'],
      [response, 'Response'],
    ] as const) {
      if (!schema || !('properties' in schema || 'anyOf' in schema) || known.has(schema)) continue
      known.add(schema)
      shapes[`${base}${ending}`] = schema
    }
  }
  return shapes
}

const components = (shapes: Schemas, names: ReadonlyMap<unknown, string>) =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, publishedParts(shape, names)]))

/** The title and version in the document. */
export type OpenApiOptions = { baseUrl: string; version: string; parts?: readonly Part[] }

/** Unique, although an admin endpoint has two URLs. */
const operationId = ({ name, caller }: NamedEndpoint, address: Address) =>
  caller === 'admin' && address.caller === 'developer' ? `${name}AsDeveloper` : name

function operation(tag: string, endpoint: NamedEndpoint, address: Address): Operation {
  const { summary, feature, role, body, response, responseType, status = 200, etag } = endpoint
  return {
    operationId: operationId(endpoint, address),
    tags: [tag],
    summary,
    ...(feature && { description: `Requires the \`${feature}\` feature.`, 'x-svc-feature': feature }),
    'x-svc-caller': address.caller,
    ...(address.caller === 'developer' && role && { 'x-svc-role': role }),
    security: SECURITY[address.caller],
    parameters: parametersOf(endpoint, address),
    ...(body && { requestBody: { required: isRequired(body), content: json(body) } }),
    ...((endpoint.bytesBody || endpoint.rawBody) && { requestBody: { required: true, content: BYTES } }),
    responses: {
      [status]: {
        description: 'Success.',
        headers: { ...REQUEST_ID, ...(etag && ETAG) },
        content: responseType ? { [responseType]: { schema: RAW[responseType] } } : json(response),
      },
      ...(etag && { 304: { description: 'Not modified.', headers: { ...REQUEST_ID, ...ETAG } } }),
      ...refusals(errorsOf(seenFrom(endpoint, address))),
    },
  }
}

/** The endpoint at one of its URLs: the description for developers does not mention keys. */
const seenFrom = (endpoint: NamedEndpoint, { method, path, caller }: Address): NamedEndpoint => ({
  ...endpoint,
  route: `${method} ${path}` as Endpoint['route'],
  caller,
})

const seenFromEachAddress = (endpoint: NamedEndpoint) =>
  addressesOf(endpoint).map((address) => seenFrom(endpoint, address))

const json = (schema: object) => ({ 'application/json': { schema } })
/** OpenAPI 3.1 also lets it be left out; generators then have no parameter for the bytes. */
const FILE = { type: 'string', format: 'binary' }
const RAW = { 'image/png': FILE, 'text/event-stream': { type: 'string' } }
const BYTES = { 'application/octet-stream': { schema: FILE } }

/** A body whose fields are all optional can be left out. */
const isRequired = (body: TSchema) => !('properties' in body) || requiredOf(body).length > 0

function parametersOf(endpoint: NamedEndpoint, { path, caller }: Address): object[] {
  const { params, query, idempotent, etag } = endpoint
  const known: Schemas = { ...propertiesOf(EnvironmentParams), ...propertiesOf(params) }
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const required = requiredOf(query)

  return [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: known[name] ?? { type: 'string' } })),
    ...Object.entries(propertiesOf(query)).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema,
    })),
    ...(idempotent ? [{ ...IDEMPOTENCY_KEY, required: idempotent === 'required' }] : []),
    ...(etag ? [IF_NONE_MATCH] : []),
    ...(caller === 'developer' && isDestructive(endpoint) ? [APPROVAL] : []),
  ]
}

const propertiesOf = (schema: TSchema | undefined): Schemas =>
  (schema as { properties?: Schemas } | undefined)?.properties ?? {}

const requiredOf = (schema: TSchema | undefined): readonly string[] =>
  (schema as { required?: string[] } | undefined)?.required ?? []

const codesByStatus = (codes: ErrorCode[]): [string, ErrorCode[]][] =>
  Object.entries(Object.groupBy(codes, (code) => ERRORS[code].status))

/** Many endpoints have the same errors: each set of errors is defined once, and named by its codes. */
const refusalName = (codes: ErrorCode[]) => codes.join('.')

const refusals = (codes: ErrorCode[]): Record<string, object> =>
  Object.fromEntries(
    codesByStatus(codes).map(([status, group]) => [
      status,
      { $ref: `#/components/responses/${refusalName(group)}` },
    ]),
  )

const allRefusals = (parts: readonly Part[]): Record<string, object> =>
  Object.fromEntries(
    parts
      .flatMap(({ endpoints }) => endpoints.flatMap(seenFromEachAddress))
      .flatMap((endpoint) => codesByStatus(errorsOf(endpoint)))
      .map(([status, group]) => [refusalName(group), refusal(Number(status), group)]),
  )

function refusal(status: number, codes: ErrorCode[]): object {
  return {
    description: codes.map((code) => `- \`${code}\`: ${messageTemplateOf(code)}`).join('\n'),
    headers: status === 429 ? { ...REQUEST_ID, ...RETRY_AFTER } : REQUEST_ID,
    'x-error-codes': codes,
    content: json({ $ref: '#/components/schemas/Error' }),
  }
}

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

const SECURITY: Record<Address['caller'], object[]> = {
  none: [],
  public: [{ publishableKey: [] }, { secretKey: [] }],
  player: [{ publishableKey: [], accessToken: [] }],
  server: [{ secretKey: [] }],
  developer: [{ developerToken: [] }],
  operator: [{ developerToken: [] }],
}

const key = (description: string) => ({ type: 'apiKey', in: 'header', name: 'X-Svc-Key', description })
const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description })

const SECURITY_SCHEMES = {
  publishableKey: key('A publishable key (pk_…) of the environment; safe to use in a page.'),
  secretKey: key('A secret key (sk_…) of the environment; never put it in a page.'),
  accessToken: bearer('The access token of a player, a JWT, valid for 15 minutes.'),
  developerToken: bearer('The session token (kds_…) of a developer.'),
}

const ERROR_SHAPE = {
  type: 'object',
  description: 'The body of every error response.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'Machine-readable error code; codes are never renamed.' },
        message: { type: 'string', description: 'Human-readable message; the wording may change.' },
        details: { type: 'object', description: 'Additional data about the error.' },
      },
    },
  },
}

/** The list of tools is made of the list of endpoints, so the contract of an endpoint cannot contain it. */
const GRANTED_TOOL = { type: 'string', enum: [...GRANTABLE_TOOLS.keys()].toSorted() }

const HEADERS = {
  RequestId: { description: 'Identifies this request in the service’s logs.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait before you try again.', schema: { type: 'integer' } },
  ETag: { description: 'ETag of this response; send it as If-None-Match.', schema: { type: 'string' } },
}
const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
const RETRY_AFTER = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
const ETAG = { ETag: { $ref: '#/components/headers/ETag' } }

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A retry with the same key returns the response of the first call.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
}

const APPROVAL = {
  name: 'Svc-Approval',
  in: 'header',
  required: false,
  description: 'Only agents send it: the id of the approval that a developer has given for this call.',
  schema: { type: 'string' },
}

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of a cached response; if nothing changed, the response is 304.',
  schema: { type: 'string' },
}
