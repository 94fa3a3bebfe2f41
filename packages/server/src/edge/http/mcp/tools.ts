import { ENDPOINT_TOOLS } from '@svc/contract/common/agent-tool-list'
import { agentUseOf, TOOLS_BY_HAND } from '@svc/contract/common/agent-tools'
import type { NamedEndpoint } from '@svc/contract/common/endpoints'
import type { Shape } from '@svc/contract/common/json-schema'
import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { TSchema } from 'typebox'

import type { Agent } from '../../../platform/agent.ts'

/** A tool as agents see it. */
export type Tool = {
  name: string
  description: string
  inputSchema: InputSchema
  annotations: Annotations
}
/** Only what differs from the defaults of MCP, and whether it destroys. */
type Annotations = { readOnlyHint: true } | { destructiveHint: boolean }
type InputSchema = { type: 'object'; properties: Record<string, object>; required?: string[] }

/** The token says which project and environment it is, and no tool reaches another one. */
const FIXED = new Set(['projectId', 'env', 'wholeProject', 'fromEnvironment'])
/** The argument with a body that has no members of its own, such as a config document. */
export const WHOLE_BODY = 'body'

/** The names of the arguments that belong to a part of the request. */
export const argumentsOf = (part: TSchema | undefined): string[] =>
  Object.entries((part as Shape | undefined)?.properties ?? {}).flatMap(([name, shape]) =>
    FIXED.has(name) || shape.keysOnly === true ? [] : [name],
  )

/** Whether the body is one argument, and not an object whose members are arguments. */
export const isWholeBody = ({ body }: NamedEndpoint): boolean =>
  body !== undefined && (body as Shape).properties === undefined

/** With it a call waits up to 25 s for the decision. Without a description, because every destructive tool has it. */
const APPROVAL = { type: 'string' }

function inputOf(endpoint: NamedEndpoint, isDestructive: boolean): InputSchema {
  const properties: Record<string, object> = {}
  const required: string[] = []
  for (const part of [endpoint.params, endpoint.query, endpoint.body]) {
    const shape = part as Shape | undefined
    for (const name of argumentsOf(part)) properties[name] = compact(shape?.properties?.[name] ?? {})
    required.push(...(shape?.required ?? []).filter((name) => !FIXED.has(name)))
  }
  if (isWholeBody(endpoint)) {
    properties[WHOLE_BODY] = compact(endpoint.body as Shape)
    required.push(WHOLE_BODY)
  }
  if (isDestructive) properties['approvalId'] = APPROVAL
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** Only what helps to write a call: the API itself checks every bound. Members of members have no description. */
function compact(shape: Shape, depth = 0): Shape {
  const description = depth < 2 ? shape.description : undefined
  const { type, default: byDefault, enum: values, minimum, maximum, anyOf, items } = shape
  const constants = anyOf?.map((one) => one.const)
  if (constants?.every((value) => typeof value === 'string'))
    return { enum: constants, ...(description !== undefined && { description }) }
  return {
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: byDefault }),
    ...(values && { enum: values }),
    ...(minimum !== undefined && minimum !== 0 && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(anyOf && { anyOf: anyOf.map((one) => compact(one, depth + 1)) }),
    ...(items && { items: compact(items, depth + 1) }),
    ...(shape.properties && {
      properties: Object.fromEntries(
        Object.entries(shape.properties).map(([name, member]) => [name, compact(member, depth + 1)]),
      ),
      ...(shape.required && { required: shape.required }),
    }),
  }
}

const WHOAMI: Tool = {
  name: 'whoami',
  description: TOOLS_BY_HAND.whoami.summary,
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
}

const DEPLOY_FILES: Tool = {
  name: 'deploy_files',
  description: TOOLS_BY_HAND.deploy_files.summary,
  inputSchema: {
    type: 'object',
    properties: {
      files: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            path: { type: 'string', description: 'relative, like assets/app.js' },
            text: { type: 'string' },
            base64: { type: 'string', description: 'in place of text' },
          },
          required: ['path'],
        },
      },
      message: { type: 'string' },
      activate: { type: 'boolean', description: 'default: true in development; not in production' },
    },
    required: ['files'],
  },
  annotations: { destructiveHint: false },
}

/** All tools in this environment, with what they do; built once. */
function toolsIn(environment: EnvironmentName): { tool: Tool; reads: boolean }[] {
  const generated = [...ENDPOINT_TOOLS].map(([name, endpoint]) => {
    const use = agentUseOf(endpoint, environment)
    const isDestructive = use === 'destructive'
    const tool: Tool = {
      name,
      description: endpoint.summary,
      inputSchema: inputOf(endpoint, isDestructive),
      annotations: use === 'read' ? { readOnlyHint: true } : { destructiveHint: isDestructive },
    }
    return { tool, reads: use === 'read' }
  })
  return [{ tool: WHOAMI, reads: true }, ...generated, { tool: DEPLOY_FILES, reads: false }]
}

const TOOLS = { development: toolsIn('development'), production: toolsIn('production') }

/** The tools that the agent may use. */
export const toolsOf = ({ environment, tools }: Pick<Agent, 'environment' | 'tools'>): Tool[] =>
  TOOLS[environment.name].filter(({ tool, reads }) => reads || tools.has(tool.name)).map(({ tool }) => tool)
