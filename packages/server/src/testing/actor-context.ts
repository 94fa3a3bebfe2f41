import assert from 'node:assert/strict'

import { type ActorName, type ConnectionRef, idOf } from '../platform/actors/actor.ts'
import { LocalActor } from '../platform/actors/local-actor.ts'
import { type LocalConnection, Members } from '../platform/actors/members.ts'
import type { MovableClock } from '../platform/clock.ts'
import { createTimers } from '../platform/time/timers.ts'
import type { Received } from './sockets.ts'

/** An actor context without a service: every connection exists, and the events sent to it can be read. */
export function createTestActorContext(name: ActorName, clock: MovableClock) {
  const received = new Map<ConnectionRef, Received[]>()
  const say = (ref: ConnectionRef, text: string) =>
    void received.set(ref, [...(received.get(ref) ?? []), JSON.parse(text) as Received])
  const connection = (ref: ConnectionRef): LocalConnection => ({
    ref,
    memberships: new Map(),
    send: (frame) => say(ref, String(frame)),
    close: () => {},
    queueBehind: () => {},
  })
  const members = new Members(
    { find: connection, all: () => [], frame: (text) => Buffer.from(text) },
    { joined: () => {}, left: () => {}, say: () => {} },
  )
  let isOver = false
  let isOwned = true
  const { context } = new LocalActor({
    id: idOf(name),
    handlers: {},
    members,
    timers: createTimers(clock),
    isLive: () => isOwned,
    sendText: say,
    save: () => {},
    ended: () => void (isOver = true),
    report: (error) => assert.ifError(error),
  })

  return {
    context,
    isOver: () => isOver,
    /** Simulates that another node may have taken over the actor. */
    loseOwnership: () => void (isOwned = false),
    regainOwnership: () => void (isOwned = true),
    /** The events that were sent to a connection since the last call. */
    take(ref: ConnectionRef): Received[] {
      const events = received.get(ref) ?? []
      received.delete(ref)
      return events
    },
  }
}
