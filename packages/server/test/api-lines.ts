import { PARTS } from '@svc/contract/common/endpoints'
import { ERRORS } from '@svc/contract/common/errors'
import { FRAME_PARTS } from '@svc/contract/common/frames'
import { openApi } from '@svc/contract/common/openapi'

/**
 * The API of version 1 as lines of text, so that two versions can be compared. Print those of a new release with
 * `node --conditions=source packages/server/test/api-lines.ts > packages/server/test/released-api.txt`.
 */
type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}
const { paths, components } = openApi({ baseUrl: 'http://localhost:8787', version: '1.0.0' })
const schemas = components.schemas as Record<string, Schema>
const exported = new Set(['Error', ...PARTS.flatMap(({ shapes }) => Object.keys(shapes))])

type Content = { content?: Record<string, { schema?: Schema }> }
type Operation = {
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: Content
  responses: Record<string, Content>
}

/** Fields of responses end with `?` if they may be missing. What requests must contain is in separate lines: that may become less. */
function linesOf(schema: Schema, path: string, isRequest: boolean): string[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return exported.has(name) ? [`${path}: ${name}`] : linesOf(schemas[name] ?? {}, path, isRequest)
  }
  if (Array.isArray(schema.type)) {
    const [type = '', ...others] = schema.type
    const values = schema.enum?.filter((value) => value !== null)
    const first = linesOf({ ...schema, type, ...(values && { enum: values }) }, path, isRequest)
    return [...first, ...others.map((other) => `${path}: ${other}`)]
  }
  if ('const' in schema) return [`${path} = ${JSON.stringify(schema.const)}`]
  if (schema.enum) return schema.enum.map((value) => `${path} = ${JSON.stringify(value)}`)
  const parts = schema.anyOf ?? schema.allOf
  if (parts) return parts.flatMap((part) => linesOf(part, path, isRequest))
  if (schema.items) return linesOf(schema.items, `${path}[]`, isRequest)
  if (!schema.properties) return [`${path}: ${schema.type ?? 'anything'}`]
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name) ?? false
    const own = `${path}.${name}`
    if (!isRequest) return linesOf(field, isRequired ? own : `${own}?`, false)
    return [...linesOf(field, own, true), ...(isRequired ? [`required ${own}`] : [])]
  })
}

const bodyLines = ({ content = {} }: Content, path: string, isRequest: boolean) =>
  Object.entries(content).flatMap(([type, { schema = {} }]) => linesOf(schema, `${path} ${type}`, isRequest))

function operationLines(address: string, { parameters, requestBody = {}, responses }: Operation): string[] {
  return [
    address,
    ...parameters.flatMap(({ name, in: where, required, schema }) => {
      const path = `${address} ${where} ${name}`
      return [...linesOf(schema, path, true), ...(required ? [`required ${path}`] : [])]
    }),
    ...bodyLines(requestBody, `${address} body`, true),
    ...Object.entries(responses)
      .filter(([status]) => status < '400')
      .flatMap(([status, response]) => [
        `${address} ${status}`,
        ...bodyLines(response, `${address} ${status}`, false),
      ]),
  ]
}

/** All lines, sorted. */
export function apiLines(): string[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operationLines(`${method.toUpperCase()} ${path}`, operation as unknown as Operation),
    ),
  )
  const named = [...exported].flatMap((name) => linesOf(schemas[name] ?? {}, `schema ${name}`, false))
  const frames = FRAME_PARTS.flatMap(({ frames: sent, events }) => [
    ...sent.flatMap(({ t, fields, reply }) => [
      `frame ${t}`,
      ...linesOf(fields as Schema, `frame ${t}`, true),
      ...(reply ? linesOf(reply as Schema, `reply ${t}`, false) : []),
    ]),
    ...events.flatMap(({ t, fields }) => [`event ${t}`, ...linesOf(fields as Schema, `event ${t}`, false)]),
  ])
  const codes = Object.entries(ERRORS).map(([code, { status }]) => `error ${code} ${status}`)
  return [...new Set([...operations, ...named, ...frames, ...codes])].toSorted()
}

/** What an app that was written for the released API would miss, or would have to send now. */
export function breaksIn(released: readonly string[], current: readonly string[]): string[] {
  const [before, now] = [new Set(released), new Set(current)]
  const subjectOf = (line: string) =>
    /^(?:required )?((?:GET|PUT|POST|PATCH|DELETE|frame) \S+)/.exec(line)?.[1] ?? ''
  /** Fields of an object that is new and optional may be required. */
  const parentOf = (field: string) => field.replace(/(?:\.[^.[\]]+|\[\])$/, '')
  const isKnown = (parent: string) =>
    !/ json\.|\/json\./.test(parent) || released.some((line) => line.startsWith(parent))
  return [
    ...released
      .filter((line) => !now.has(line) && !line.startsWith('required '))
      .map((line) => `gone or of another type: ${line}`),
    ...current
      .filter((line) => line.startsWith('required ') && !before.has(line) && before.has(subjectOf(line)))
      .filter((line) => isKnown(parentOf(line.slice('required '.length))))
      .map((line) => `newly ${line}`),
  ]
}

if (import.meta.main) console.log(apiLines().join('\n'))
