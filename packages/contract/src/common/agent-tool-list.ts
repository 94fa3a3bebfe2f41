import { toolNameOf } from './agent-tools.ts'
import { endpointList, type NamedEndpoint } from './endpoints.ts'

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
