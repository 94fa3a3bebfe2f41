import type { Submitted } from '../data/stats.ts'

/** A player in a room with code. */
export type RoomPlayer = {
  readonly id: string
  readonly displayName: string | null
  /** False while the player is reconnecting. */
  readonly connected: boolean
}

/** Why a player has left. */
export type RoomLeaveReason = 'left' | 'timeout' | 'banned' | 'replaced' | 'kicked'

/** What does not change about a room while it runs, besides the metadata. */
export type RoomInfo = {
  id: string
  code: string
  mode: string
  maxPlayers: number
  private: boolean
  metadata: unknown
  createdAt: string | number
  tickRate: number
}

/**
 * What an object of a room class calls. The class is part of the developer's bundle, perhaps an older one: members are added here, never
 * changed or removed.
 */
export type RoomHost = {
  readonly info: RoomInfo
  readonly players: readonly RoomPlayer[]
  readonly now: number
  readonly tick: number
  readonly env: unknown
  own(player: RoomPlayer | string): object
  touch(key: string): void
  random(): number
  send(type: string, data: unknown, to?: RoomPlayer | string | readonly (RoomPlayer | string)[]): void
  kick(player: RoomPlayer | string, reason?: string): void
  lock(isLocked: boolean): void
  setMetadata(metadata: unknown): void
  wakeAt(atMs: number | Date | null): void
  report(player: RoomPlayer | string, stats: Record<string, number>): Promise<Submitted>
  end(result: unknown): void
}
