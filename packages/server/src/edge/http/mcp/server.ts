import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  ProtocolError,
  Server,
} from '@modelcontextprotocol/server'
import { ENDPOINT_TOOLS } from '@svc/contract/common/agent-tool-list'
import { TOOLS_BY_HAND } from '@svc/contract/common/agent-tools'
import type { Shape } from '@svc/contract/common/json-schema'
import { LIMITS } from '@svc/contract/common/limits'

import type { Agent } from '../../../platform/agent.ts'
import { ApiError } from '../../../platform/api-error.ts'
import { refusalOf, resultOf, type ToolResult } from './answers.ts'
import { deployFiles } from './deploy-files.ts'
import { type ApiRequest, requestOf } from './requests.ts'
import { toolsOf } from './tools.ts'

/** One request of a client, with the agent of its token. */
export type McpCall = {
  agent: Agent
  /** Calls the API with the token of the agent. Throws the error of the response. */
  api(request: ApiRequest, approvalId: string | undefined): Promise<unknown>
  /** The user of the client has answered a form; enough in development. */
  approveByForm(approvalId: string): Promise<void>
  /** Resolves when the developer has decided, or after a while. */
  waitForDecision(approvalId: string): Promise<void>
}
export type McpOptions = { version: string; reportError(error: unknown): void }

const INVALID_PARAMS = -32602
const BY_HAND = new Set(Object.keys(TOOLS_BY_HAND))
const QUESTION = 'approval'
const FORM = {
  type: 'object' as const,
  properties: { approve: { type: 'boolean' as const, title: 'Approve this call' } },
  required: ['approve'],
}

/** The MCP server: every request gets a `Server` of its own, because requests share nothing. */
export function createMcpServer({ version, reportError }: McpOptions) {
  // Its answers are JSON because no tool sends a notification. No subscription: the list of tools of a token never changes.
  const handler = createMcpHandler(
    ({ authInfo, era }) => {
      const call = authInfo?.extra?.['call'] as McpCall
      const server = new Server({ name: 'svc', version }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', async () => ({ tools: toolsOf(call.agent) as never }))
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        if (!ENDPOINT_TOOLS.has(params.name) && !BY_HAND.has(params.name))
          throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${params.name.slice(0, 64)}`)
        const envelope = mcpReq.envelope as Record<string, unknown> | undefined
        const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] as
          | { elicitation?: Elicitation }
          | undefined
        const client: ClientOfCall = {
          elicitation: era === 'modern' ? capabilities?.elicitation : undefined,
          asked: mcpReq.requestState<string>(),
          answer: mcpReq.inputResponses?.[QUESTION],
        }
        return runTool(call, params.name, params.arguments ?? {}, client, reportError)
      })
      return server
    },
    { maxSubscriptions: 0 },
  )

  return (request: Request, parsedBody: unknown, token: string, call: McpCall): Promise<Response> =>
    handler.fetch(request, {
      parsedBody,
      authInfo: { token, clientId: call.agent.id, scopes: [], extra: { call } },
    })
}

/** `{}` means forms, as in earlier versions of the protocol. */
type Elicitation = { form?: object; url?: object }
/** What the client can be asked, and what it was asked and has answered. Clients of 2025 cannot be asked. */
type ClientOfCall = { elicitation: Elicitation | undefined; asked: string | undefined; answer: unknown }

async function runTool(
  call: McpCall,
  name: string,
  values: Record<string, unknown>,
  client: ClientOfCall,
  reportError: McpOptions['reportError'],
) {
  const { approvalId = client.asked, ...others } = values
  try {
    if (approvalId !== undefined && typeof approvalId !== 'string') throw new ApiError('approval_not_found')
    if (client.asked !== undefined && isApproval(client.answer)) await call.approveByForm(client.asked)
    else if (approvalId !== undefined && !hasDeclined(client.answer)) await call.waitForDecision(approvalId)
    return await answerOf(call, name, others, approvalId)
  } catch (error) {
    if (!(error instanceof ApiError)) {
      reportError(error)
      return refusalOf(new ApiError('internal_error'))
    }
    return question(error, call.agent, client) ?? refusalOf(error)
  }
}

async function answerOf(
  { agent, api }: McpCall,
  name: string,
  values: Record<string, unknown>,
  approvalId: string | undefined,
): Promise<ToolResult> {
  if (name === 'whoami') return resultOf(whoami(agent), undefined)
  if (name === 'deploy_files')
    return resultOf(
      await deployFiles((request) => api(request, undefined), agent.environment, values),
      undefined,
    )
  const endpoint = ENDPOINT_TOOLS.get(name)
  if (!endpoint) throw new Error(`no tool ${name}`)
  const answer = await api(requestOf(endpoint, agent.environment, values), approvalId)
  return resultOf(answer, endpoint.response as Shape)
}

const whoami = ({ id, label, developer, environment, tools, unattended, expiresAt }: Agent) => ({
  agent: { id, label, expiresAt },
  actsFor: { email: developer.email },
  projectId: environment.projectId,
  project: environment.slug,
  environment: environment.name,
  mayRead: true,
  tools: [...tools],
  unattended,
  limits: {
    callsPerMinute: LIMITS.agentCallsPerMinuteMax,
    writesPerHour: LIMITS.agentWritesPerHourMax,
    destructivePerHour: LIMITS.agentDestructivePerHourMax,
  },
})

const isApproval = (answer: unknown): boolean => {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { approve?: unknown } }
  return action === 'accept' && content?.approve === true
}

/**
 * Leads the user of a client that can be asked to the approval: in development by a form of the client, otherwise to the page of the
 * dashboard. Undefined if there is nothing to ask, or the user has said no.
 */
function question(
  { code, details }: ApiError,
  { environment }: Agent,
  { elicitation, answer }: ClientOfCall,
) {
  const { approvalId, approvalUrl, summary } = (details ?? {}) as Record<string, string>
  if (code !== 'approval_required' || !approvalId || !elicitation || hasDeclined(answer)) return undefined
  const canForm = elicitation.form !== undefined || elicitation.url === undefined
  const message = `An agent asks: ${summary}?`
  if (environment.name === 'development' && canForm)
    return inputRequired({
      inputRequests: { [QUESTION]: inputRequired.elicit({ message, requestedSchema: FORM }) },
      requestState: approvalId,
    })
  if (!elicitation.url || !approvalUrl) return undefined
  return inputRequired({
    inputRequests: { [QUESTION]: inputRequired.elicitUrl({ message, url: approvalUrl }) },
    requestState: approvalId,
  })
}

const hasDeclined = (answer: unknown): boolean => {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { approve?: unknown } }
  return action === 'decline' || action === 'cancel' || content?.approve === false
}
