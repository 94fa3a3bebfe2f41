/** `locked`: another process has the data. `memory`: it has too much. Otherwise the process printed the reason, or nothing in time. */
export class StartError extends Error {
  readonly reason: 'locked' | 'memory' | 'failed' | 'timeout'
  constructor(reason: StartError['reason'], options?: ErrorOptions) {
    super(`the functions process did not start: ${reason}`, options)
    this.reason = reason
  }
}
