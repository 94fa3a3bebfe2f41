import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import { EnvironmentParams } from './common/schemas.ts'

/** A stream that says what has changed in an environment, so that a page need not ask again and again. */

/** Something has changed; read it again to see it. */
export type EventHint = Static<typeof EventHint>
/** Contains no data of the change. `id` is absent if the change has no single target. */
export const EventHint = Type.Object({
  topic: Type.String({
    description:
      'what changed: the part of an audit action before the dot, such as `config` or `deployment`; `player`, `appeal`, `approval` or `mails` for new ones; `all` if there were too many changes to list',
  }),
  id: Type.Optional(Type.String({ description: 'id of what changed' })),
})

/** Follow the changes of an environment. */
export const followEvents = endpoint('GET /v1/projects/:projectId/environments/:env/events', {
  summary: `Follow the changes of an environment as server-sent events; each \`data\` is a hint. A comment every ${LIMITS.eventBeatMs / 1_000} seconds shows that the stream is alive; at most ${LIMITS.eventStreamsPerSessionMax} per session`,
  caller: 'developer',
  role: 'viewer',
  params: EnvironmentParams,
  response: EventHint,
  responseType: 'text/event-stream',
  errors: ['too_many_event_streams'],
})
