import type { Awaitable } from '../../../platform/memory/awaitable.ts'
import type { RoomProcess, RoomProcessEnd } from '../../../platform/ports/room-process.ts'

/** The version of the functions in which new rooms of a class run. */
export type LiveCode = {
  versionId: string
  version: number
  tickRate: number
  /**
   * Grows with each change of the code, its secrets or its limits. A process that was started before the last change gets no new room,
   * so that new rooms see what has changed.
   */
  generation: number
}

/** What has become of the functions of an environment. */
export type CodeChange =
  /**
   * Code runs. Rooms of another version move to `versionId` this many minutes after `deployedAtMs` (Unix ms); null: after as many as
   * their mode says. The version may be the same as before.
   */
  | { runs: true; versionId: string; deployedAtMs: number; finishMinutes: number | null }
  /** No code may run: rooms with code are closed with this reason. `closed`: the developer has disabled or removed the functions. */
  | { runs: false; reason: 'suspended' | 'closed' }

/** What a process of rooms reports. */
export type RoomProcessEvents = {
  /** A message of the process, which is not trusted. */
  onMessage(bytes: Buffer): void
  /** Called once, when the process has ended for whatever reason. */
  onEnd(end: RoomProcessEnd): void
}

/** The code that rooms run: what this capability needs of the functions. */
export type RoomCode = {
  /**
   * The live version, if it exports this class. Undefined: no functions, disabled, suspended, or no such class. A value, not a promise,
   * where the environment was asked about within the last second.
   */
  live(environmentId: string, className: string): Awaitable<LiveCode | undefined>

  /** What a change would report now; for a room that was restored, and may have missed some. */
  current(environmentId: string): Awaitable<CodeChange>

  /**
   * Starts a process of this version on this node, with the secrets and limits of now. Its usage is charged. Throws `ApiError`:
   * `deployment_not_found` (the version is not kept any more), `not_found` (no such environment), `functions_suspended`,
   * `functions_disabled` (or removed), `feature_unavailable`, `functions_overloaded`, `functions_unavailable`.
   */
  start(environmentId: string, versionId: string, events: RoomProcessEvents): Promise<RoomProcess>

  /**
   * Calls the listener on every node after a change of the functions of an environment, also for environments without rooms. The same
   * change may be reported twice. Where no code may run any more, the processes of the environment are ended after this call.
   */
  onChange(listener: (environmentId: string, change: CodeChange) => void): void
}
