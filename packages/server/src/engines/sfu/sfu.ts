/** Where the relay server listens, and which addresses its clients get. */
export type SfuSettings = {
  host: string
  /** UDP and TCP; 0: a free one. */
  port: number
  /** Written into the candidates instead of `Admission.address`. */
  publicIp: string | undefined
  /** Opens the next UDP port for clients that come through TURN over TCP or TLS. */
  repairsTurn: boolean
}

/** `slots`: how many members of a call can be heard at the same time. `timings` replace the defaults, for tests. */
export type SfuOptions = { log(line: string): void; slots: number; timings?: Partial<SfuTimings> }

/** Times in milliseconds; `busyCpu` is a share of one core. */
export type SfuTimings = {
  answerMs: number
  /** Without a report for this long the process is killed. */
  silenceMs: number
  restartMs: number
  restartMaxMs: number
  /** The process stops this long after its last call. */
  idleMs: number
  /** More of a core than this, for so long, is an overload. */
  busyCpu: number
  busyMs: number
}
