import { Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { LIMITS } from '../common/limits.ts'
import { EnvironmentParams, Nullable } from '../common/schemas.ts'
import { AgentView, GrantedTool } from './agents.ts'

/**
 * How a client of the Model Context Protocol gets a token by itself: it opens `/oauth/authorize` in the browser of the developer, who
 * decides on the page of the dashboard, with these two calls. The rest is OAuth (`/oauth/token`, `/oauth/revoke`).
 */

/** As the client has sent it to `/oauth/authorize`. */
const Query = Type.String({ maxLength: 8_192, description: 'the query of the URL that the client opened' })

/** Check what a client asks for, and show who it is. */
export const findAuthorization = endpoint('POST /v1/x/agent-authorizations/find', {
  summary: 'Check the request of a client of agents, and get what the developer sees before deciding',
  caller: 'developer',
  role: 'account',
  body: Type.Object({ query: Query }),
  response: Type.Object({
    client: Type.Object(
      {
        id: Type.String(),
        name: Type.String({ description: 'chosen by the client; proves nothing' }),
        host: Nullable(Type.String(), 'where its description comes from; null if an operator added it'),
      },
      { description: 'who asks' },
    ),
    redirect: Type.Object({
      host: Type.String({ description: 'where the developer is led to afterwards' }),
      isThisComputer: Type.Boolean({ description: 'a program on the computer of the developer' }),
    }),
    problem: Nullable(Type.String(), 'why it cannot be granted; the client is told when it is refused'),
    refuseTo: Type.String({ description: 'the URL that tells the client of a refusal' }),
    tools: Type.Array(Type.String({ examples: ['ban_player'] }), {
      description: 'tools that can be granted beyond reading',
    }),
  }),
  errors: ['authorization_invalid'],
})

/** Let a client act for you in an environment. */
export const grantAuthorization = endpoint('POST /v1/x/projects/:projectId/environments/:env/agents/grants', {
  summary:
    'Let a client act for you in this environment: creates an agent for it, and returns the URL with the code that the client exchanges for a token. In production tools beyond reading need your password or a reauthToken',
  caller: 'developer',
  role: ['developer', 'moderator'],
  params: EnvironmentParams,
  status: 201,
  body: Type.Object({
    query: Query,
    tools: Type.Optional(
      Type.Array(GrantedTool, {
        maxItems: LIMITS.agentToolsMax,
        description: 'beyond reading; none without it',
      }),
    ),
    password: Type.Optional(Type.String({ maxLength: 256 })),
    reauthToken: Type.Optional(Type.String({ maxLength: 256 })),
  }),
  response: Type.Object({ agent: AgentView, redirectTo: Type.String() }),
  errors: ['authorization_invalid', 'reauth_required', 'invalid_credentials', 'too_many_agents'],
})
