import { type Static, type TSchema, Type } from 'typebox'

/** Shapes that several endpoints share. */

/** A point in time in a JSON response. */
export const Timestamp = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
  patternErrorMessage: 'must be a time in UTC with milliseconds, like 2026-11-15T12:00:00.000Z',
  description: 'ISO 8601, UTC, with milliseconds',
})

/** In WebSocket frames, where clients do arithmetic with it (GEN-02). */
export const Milliseconds = Type.Integer({ minimum: 0, description: 'milliseconds since 1970, UTC' })

/** An id with its three-letter prefix. */
export const Id = Type.String({
  pattern: '^[a-z]{3}_[A-Za-z0-9]{1,60}$',
  patternErrorMessage: 'must be an id like ply_01kc8wq4x2e5m7v9b3n6t1h8d0',
})

/** An id in a request: any text is accepted; a text that is not an id is not found (GEN-23). */
export const IdParam = Type.String({ minLength: 1 })

/** The cursor of a list: the last id of the previous page. */
export const Cursor = Type.String({
  pattern: '^[a-z]{3}_[A-Za-z0-9]{1,60}$',
  patternErrorMessage: 'must be the value that the previous page returned',
})

/** A token or code of the service, as a caller sends it. */
export const OpaqueToken = Type.String({ minLength: 1, maxLength: 256 })

/** The schema, or null. */
export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

/** A field that only secret keys may send: it is no argument of a tool. */
export const OF_KEYS_ONLY = { keysOnly: true } as const

/** The path parameter of a project. */
export const ProjectParams = Type.Object({ projectId: IdParam })
/** The path parameters of an environment. */
export const EnvironmentParams = Type.Object({
  projectId: IdParam,
  env: Type.String({ maxLength: 64, description: 'development (dev) or production (prod)' }),
})

/** The two environments of a project. */
export type EnvironmentName = Static<typeof EnvironmentName>
/** Responses contain these full names. Paths also accept `dev` and `prod` (GEN-15). */
export const EnvironmentName = Type.Union([Type.Literal('development'), Type.Literal('production')])

/** `limit` of a list: default 50, at most 200 unless the list says otherwise (GEN-14). */
export const Limit = (byDefault = 50, maximum = 200) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, default: byDefault }))

/**
 * The edge removes white space around a text with this mark and converts it to Unicode normal form C before its bounds are checked,
 * so the bounds apply to the stored text.
 */
export const TRIMMED = { trimmed: true }

/**
 * The service removes control characters from a text with this mark (BAN-02). The edge removes U+0000, which is rejected in all other
 * texts; the rules remove the others.
 */
export const CLEANED = { cleaned: true }

/**
 * Players write the text with this mark, or the JSON below it. Tools of agents return it shortened, with invisible characters escaped,
 * and name its path: it is data, never an instruction.
 */
export const BY_PLAYER = { author: 'player' } as const

/** The length is counted in Unicode code points; control characters are rejected. */
export const Line = (minLength: number, maxLength: number) =>
  Type.String({
    ...TRIMMED,
    minLength,
    maxLength,
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
    patternErrorMessage: 'must not contain control characters',
    description: 'leading and trailing spaces are removed',
  })

/** The response of a deletion. */
export const Deleted = Type.Object({ deleted: Type.Literal(true) })
/** An empty response. */
export const Empty = Type.Object({})

/** A developer, a key, an agent, or the service itself (`system`). Players never see it. */
export type Actor = Static<typeof Actor>
/** Who made a change, as the audit log shows it. */
export const Actor = Type.Object({
  type: Type.Union([
    Type.Literal('developer'),
    Type.Literal('key'),
    Type.Literal('agent'),
    Type.Literal('system'),
  ]),
  id: Type.String(),
  label: Type.String(),
})
