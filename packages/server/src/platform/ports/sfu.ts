/** One connection of one member of a call. Both ids are random: the relay server knows neither players nor channels. */
export type Who = { callId: string; memberId: string }

/** How a member is connected. */
export type Admission = {
  canSpeak: boolean
  /** Where the member reaches this machine; used if the relay server listens on all addresses. */
  address: string
  /** Milliseconds of sound in one packet. */
  ptime: 20 | 40
}

/** Events of the relay server. */
export type SfuEvents = {
  /** The owner of each slot; null if it is free. */
  speakers(callId: string, slots: (string | null)[]): void
  /** The member's connection has failed. */
  gone(who: Who): void
  /** All calls are lost. */
  lost(): void
}

/** Metrics of the relay server. Counters start with this service, not with the relay server's process. */
export type SfuLoad = {
  members: number
  /** 1 is one core. */
  cpu: number
  loopDelayMs: number
  /** It has ended and is not started again yet. */
  isDown: boolean
  /** Overloaded for some seconds: new calls are refused. */
  isOverloaded: boolean
  residentBytes: number
  tcpConnections: number
  totals: SfuTotals
}

/** Counters that only grow. They continue when the process of the relay server is restarted. */
export type SfuTotals = {
  packetsIn: number
  packetsOut: number
  /** Packets that were not forwarded, by reason. */
  dropped: Record<DropReason, number>
  cpuSeconds: number
  restarts: number
}

/**
 * `muted`: the member may not speak. `slots`: others are louder. `rate`: too many packets. `invalid`: not Opus as agreed. `late`: the
 * process was busy for too long.
 */
export type DropReason = 'muted' | 'slots' | 'rate' | 'invalid' | 'late'

/** The relay server for voice calls. Media never passes through the process of the service. */
export type Sfu = {
  /** Starts the process in advance, so that `admit` need not wait for it. */
  start(): void
  /**
   * Connects a member, in place of its former connection. Starts the relay server if necessary. Throws `voice_unavailable`, and
   * `invalid_request` for an offer that is not one sendonly Opus audio; then nothing of the member is left.
   *
   * @example const { answer, offer } = await sfu.admit(who, sdp, { canSpeak: true, address: '192.0.2.7', ptime: 20 })
   */
  admit(who: Who, offer: string, how: Admission): Promise<{ answer: string; offer: string }>
  /** The member's answer to the offer of `admit`. Throws as `admit`. */
  answer(who: Who, sdp: string): Promise<void>
  /** Takes effect with the member's next packet. */
  setCanSpeak(who: Who, canSpeak: boolean): void
  /** A hint of the member; false frees its slot. */
  setSpeaking(who: Who, speaking: boolean): void
  remove(who: Who): void
  /** Must be called every two seconds; a call that is not in the list for six seconds ends. */
  renew(callIds: string[]): void
  end(callId: string): void
  on(events: SfuEvents): void
  load(): SfuLoad
  close(): Promise<void>
}
