import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import { EnvironmentParams, IdParam, Nullable, Timestamp } from './common/schemas.ts'
import { SessionView } from './players.ts'

/** For trying out an app in development: players, and the network between them and the service. */

/** Create players for the playground. */
export const createPlaygroundPlayers = endpoint(
  'POST /v1/projects/:projectId/environments/:env/playground/players',
  {
    summary:
      'Create guests in development to try out an app; at most 30 times an hour. They are deleted after 24 hours',
    caller: 'developer',
    role: 'developer',
    params: EnvironmentParams,
    body: Type.Object({
      count: Type.Integer({ minimum: 1, maximum: LIMITS.playgroundPlayersMax }),
      firstNumber: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LIMITS.playgroundPlayersMax,
          description: 'the number in the name of the first one (default: 1)',
        }),
      ),
    }),
    response: Type.Object({
      key: Type.String({ description: 'a publishable key of the environment' }),
      sessions: Type.Array(SessionView),
    }),
    errors: ['not_found'],
  },
)

/** A network between a player and the service. */
export type NetworkConditions = Static<typeof NetworkConditions>
/** Half of the latency is added in each direction. */
export const NetworkConditions = Type.Object({
  latencyMs: Type.Integer({
    minimum: 0,
    maximum: LIMITS.simulatedLatencyMsMax,
    description: 'added to the round trip',
  }),
  lossPercent: Type.Integer({
    minimum: 0,
    maximum: LIMITS.simulatedLossPercentMax,
    description:
      'frames that are lost; as with TCP, they and all behind them arrive later: by 200 ms or twice the latency, whichever is longer',
  }),
  paused: Type.Boolean({ description: 'true: nothing arrives, in both directions' }),
})

/** Simulate a network for a player. */
export const simulateNetwork = endpoint('PUT /v1/admin/x/playground/network', {
  summary:
    'Simulate a slow, lossy or paused network for a player; only in development. It applies to the current and the next WebSocket connections of the player, for an hour. What you leave out is 0',
  caller: 'admin',
  role: 'developer',
  body: Type.Object({ playerId: IdParam, ...Type.Partial(NetworkConditions).properties }),
  response: Type.Object({
    ...NetworkConditions.properties,
    connections: Type.Integer({ description: 'open connections of the player, to which it now applies' }),
    expiresAt: Nullable(Timestamp, 'null: nothing is simulated'),
  }),
  errors: ['development_only', 'player_not_found'],
})
