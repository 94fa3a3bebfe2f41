import { agentUseOf, toolNameOf, TOOLS_BY_HAND } from './agent-tools.ts'
import type { AgentUse } from './endpoint.ts'
import { endpointList, type NamedEndpoint } from './endpoints.ts'
import type { EnvironmentName } from './schemas.ts'

/** The name under which the calls of an endpoint are granted and recorded, by its route; also of endpoints that are no tools. */
export const TOOL_NAMES: ReadonlyMap<string, string> = new Map(
  endpointList.map((endpoint) => [endpoint.route, toolNameOf(endpoint)]),
)

/** The endpoints that are tools of their own, by the name of the tool. */
export const ENDPOINT_TOOLS: ReadonlyMap<string, NamedEndpoint> = new Map(
  endpointList
    .filter(({ agent, agentTool }) => agent !== undefined && agentTool === undefined)
    .map((endpoint) => [toolNameOf(endpoint), endpoint]),
)

/** The tools that a developer can grant; those that only read are granted to every agent. */
export const GRANTABLE_TOOLS: ReadonlyMap<string, 'reads' | 'changes'> = new Map(
  endpointList
    .filter(({ agent }) => agent !== undefined)
    .map((endpoint) => [toolNameOf(endpoint), endpoint.agent === 'read' ? 'reads' : 'changes']),
)

/** A tool for people who choose: what it does, and how an agent uses it in each environment. */
export type AgentTool = {
  name: string
  summary: string
  uses: Readonly<Record<EnvironmentName, AgentUse>>
}

/** All tools: first those that every agent has because they only read, then those that a developer grants. */
export const AGENT_TOOLS: readonly AgentTool[] = [...Object.entries(TOOLS_BY_HAND), ...ENDPOINT_TOOLS]
  .flatMap(([name, tool]) => {
    const [development, production] = [agentUseOf(tool, 'development'), agentUseOf(tool, 'production')]
    return development && production ? { name, summary: tool.summary, uses: { development, production } } : []
  })
  .toSorted((a, b) => Number(a.uses.development !== 'read') - Number(b.uses.development !== 'read'))

/** How an agent uses a tool, in two or three words. */
export const USE_TEXTS: Readonly<Record<AgentUse, string>> = {
  read: 'always',
  write: 'if granted',
  destructive: 'if granted, after approval',
}
