import type { Readable } from 'node:stream'

import { LIMITS } from '@svc/contract/common/limits'
import type { Role } from '@svc/contract/common/roles'

import type { Queries } from '../../platform/actors/queries.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Changes, Seen } from './changes.ts'
import { EventStream } from './event-stream.ts'

type EventDeps = {
  clock: Clock
  queries: Pick<Queries, 'define'>
  changesOf: Changes
  /** The role of the session's developer in the project at this moment; undefined if there is none any more. */
  roleOf(token: string, projectId: string): Promise<Role | undefined>
  report(error: unknown): void
}

export type Events = ReturnType<typeof createEvents>

/** An environment that somebody follows on this node. */
type Followed = { environment: Environment; streams: Set<EventStream>; seen: Promise<Seen> | Seen }

/**
 * The event streams of this node. Once a second each followed environment is compared with what was seen of it before; an environment
 * that nobody follows costs nothing.
 */
export function createEvents({ clock, queries, changesOf, roleOf, report }: EventDeps) {
  const followed = new Map<string, Followed>()
  let beatAtMs = clock.elapsedMs()
  let isStopped = false
  let polling: Promise<void> | undefined

  const all = () => [...followed.values()].flatMap(({ streams }) => [...streams])
  const countOf = queries.define(
    'events.count',
    (sessionHash: string): number => all().filter((stream) => stream.sessionHash === sessionHash).length,
  )

  function firstLook(environment: Environment): Promise<Seen> {
    const seen = changesOf(environment, undefined).then((found) => found.seen)
    // Also if nobody waits for it because the stream was refused before.
    seen.catch(() => {})
    return seen
  }

  function add(environment: Environment, stream: EventStream): Followed {
    const known = followed.get(environment.id) ?? {
      environment,
      streams: new Set(),
      seen: firstLook(environment),
    }
    followed.set(environment.id, known)
    known.streams.add(stream)
    stream.body.once('close', () => remove(environment, stream))
    return known
  }

  function remove({ id }: Environment, stream: EventStream) {
    const known = followed.get(id)
    known?.streams.delete(stream)
    if (known?.streams.size === 0) followed.delete(id)
  }

  /** Also ends the stream of a member with another role now: the client opens a new one. */
  async function endIfNotAllowed(stream: EventStream, projectId: string): Promise<boolean> {
    const isAllowed = (await roleOf(stream.token, projectId)) === stream.role
    if (!isAllowed) stream.end()
    return isAllowed
  }

  async function pollOne(known: Followed, isBeat: boolean) {
    const { environment, streams } = known
    const { seen, hints } = await changesOf(environment, await known.seen)
    known.seen = seen
    if (hints.length === 0 && !isBeat) return
    for (const stream of streams) {
      if (!(await endIfNotAllowed(stream, environment.projectId))) continue
      if (isBeat) stream.beat()
      stream.send(hints)
    }
  }

  async function pollAll() {
    const nowMs = clock.elapsedMs()
    const isBeat = nowMs - beatAtMs >= LIMITS.eventBeatMs
    if (isBeat) beatAtMs = nowMs
    for (const known of followed.values()) await pollOne(known, isBeat).catch(report)
  }

  return {
    async follow(token: string, environment: Environment, role: Role): Promise<Readable> {
      if (isStopped || all().length >= LIMITS.eventStreamsPerNodeMax)
        throw new ApiError('service_unavailable')
      const stream = new EventStream(token, sha256(token), role)
      // Counted before the other nodes are asked: streams that are opened together are refused rather than too many.
      const { seen } = add(environment, stream)
      try {
        const counts = await countOf(stream.sessionHash)
        if (counts.reduce((sum, count) => sum + count, 0) > LIMITS.eventStreamsPerSessionMax)
          throw new ApiError('too_many_event_streams', { limit: LIMITS.eventStreamsPerSessionMax })
        await seen
        return stream.body
      } catch (error) {
        stream.body.destroy()
        remove(environment, stream)
        throw error
      }
    },

    sessionEnded(sessionHash: string) {
      for (const stream of all()) if (stream.sessionHash === sessionHash) stream.end()
    },

    /** Ends the streams of those who have no role in the project any more, or another one. */
    async membersChanged(projectId: string): Promise<void> {
      for (const { environment, streams } of followed.values()) {
        if (environment.projectId !== projectId) continue
        for (const stream of streams) await endIfNotAllowed(stream, projectId)
      }
    },

    /** Once a second; one poll at a time, however long the database takes. */
    poll(): Promise<void> {
      polling ??= pollAll().finally(() => (polling = undefined))
      return polling
    },

    /** Before requests are drained, which would wait for the streams. */
    stop() {
      isStopped = true
      for (const stream of all()) stream.end()
    },
  }
}
