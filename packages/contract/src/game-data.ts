import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { Nullable } from './common/schemas.ts'

/** As in the config: a text, or one per language code. */
const LocalizedText = Type.Union([Type.String(), Type.Record(Type.String(), Type.String())])

/** What the game may know about the config of its environment. */
export type Definitions = Static<typeof Definitions>
/** The public part of the config: never its integrity rules, redirect URLs or origins (STA-17). */
export const Definitions = Type.Object({
  configVersion: Type.Integer({ description: '0 before the first push' }),
  resetTimeZone: Type.String(),
  audience: Type.String(),
  features: Type.Record(Type.String(), Type.Boolean()),
  stats: Type.Array(
    Type.Object({
      key: Type.String(),
      title: Nullable(LocalizedText),
      aggregation: Type.String(),
      maxPerSubmit: Nullable(Type.Number()),
      source: Type.String({ description: 'server: only your server can report it' }),
      leaderboard: Nullable(
        Type.Object({
          periods: Type.Array(Type.String()),
          order: Type.String({ description: 'desc: the highest value comes first' }),
          verifiedOnly: Type.Boolean(),
        }),
      ),
    }),
  ),
  modes: Type.Array(
    Type.Object({
      key: Type.String(),
      title: Nullable(LocalizedText),
      minPlayers: Type.Integer(),
      maxPlayers: Type.Integer(),
      fillTimeoutSeconds: Type.Integer(),
      gatherSeconds: Type.Integer(),
      backfillSeconds: Nullable(Type.Integer({ description: 'null: until the room is locked' })),
      transport: Type.String(),
      p2p: Type.Object({ maxPlayers: Type.Integer(), relayOnly: Type.Boolean() }),
    }),
  ),
  auth: Type.Object({
    email: Type.Boolean(),
    providers: Type.Array(Type.String(), { description: 'enabled providers' }),
  }),
  share: Type.Record(Type.String(), Type.Boolean()),
  svcNews: Type.Object({ optIn: Type.Boolean() }),
})

/** Get the public part of the config, for use in the game. */
export const readDefinitions = endpoint('GET /v1/gamedata/definitions', {
  summary: 'Get the public part of the config; for use in the game, supports ETag',
  caller: 'public',
  publishableOnly: true,
  etag: true,
  response: Definitions,
})
