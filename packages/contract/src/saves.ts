import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { PUBLISHED } from './common/openapi-schemas.ts'
import { BY_PLAYER, Deleted, Nullable, Timestamp } from './common/schemas.ts'

/** Cloud saves: versioned documents of a player, any JSON. */

/** The key of a save. */
export const SaveKey = Type.String({
  pattern: '^(?!\\.\\.?$)[A-Za-z0-9_.-]{1,64}$',
  ...PUBLISHED({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
  patternErrorMessage:
    'must be 1 to 64 letters, digits, "_", "." or "-", but not "." or "..", which no URL can contain',
  description: '1–64 letters, digits, `_`, `.`, `-`; not `.` or `..`',
})
const Version = Type.Integer({ minimum: 0, description: '0: only if the save does not exist' })
const OneSave = { caller: 'player', feature: 'saves', params: Type.Object({ key: SaveKey }) } as const

/** A save without its data. */
export type SaveSummary = Static<typeof SaveSummary>
/** `version` rises by one with every write and is never used twice for a key (SAV-10). */
export const SaveSummary = Type.Object({
  key: Type.String({ ...SaveKey, ...BY_PLAYER }),
  version: Type.Integer({ minimum: 1 }),
  size: Type.Integer({ description: 'bytes of the data as JSON text in UTF-8' }),
  updatedAt: Timestamp,
})

/** List your saves; returns keys and versions, not the data. */
export const listSaves = endpoint('GET /v1/saves', {
  summary: 'List your saves; returns keys and versions, not the data',
  caller: 'player',
  feature: 'saves',
  response: Type.Object({ saves: Type.Array(SaveSummary) }),
})

/** Read a save. */
export const readSave = endpoint('GET /v1/saves/:key', {
  ...OneSave,
  summary: 'Read a save',
  response: Type.Object({ ...SaveSummary.properties, data: Type.Unknown() }),
  errors: ['save_not_found'],
})

const SaveInput = Type.Object({
  data: Type.Unknown({ description: 'any JSON; returned byte for byte as it was written' }),
  ifVersion: Type.Optional(Nullable(Version)),
  unanswered: Type.Optional(
    Type.Array(Type.Integer(), {
      maxItems: 8,
      description:
        'hashes of the data of earlier writes whose responses did not arrive: a save that one of them wrote after `ifVersion` is overwritten, too (SAV-16)',
    }),
  ),
})
const IfVersion = Type.Object({ ifVersion: Type.Optional(Version) })

/** Write a save. */
export const writeSave = endpoint('PUT /v1/saves/:key', {
  ...OneSave,
  summary: 'Write a save; with `ifVersion`, only if that is the current version',
  body: SaveInput,
  rawMember: 'data',
  checksBan: true,
  response: SaveSummary,
  errors: ['version_conflict', 'save_too_large', 'too_many_saves'],
})

/** Delete a save. */
export const deleteSave = endpoint('DELETE /v1/saves/:key', {
  ...OneSave,
  summary: 'Delete a save; with `ifVersion`, only if that is the current version',
  query: IfVersion,
  response: Deleted,
  errors: ['save_not_found', 'version_conflict'],
})
