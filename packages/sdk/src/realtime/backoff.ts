/** From then on the waits grow with the outage: one that has lasted is not over within seconds. */
export const LONG_OUTAGE_MS = 120_000
const FIRST_MS = 200
const MAX_MS = 8_000
const LONG_OUTAGE_MAX_MS = 60_000
const AFTER_ABUSE_MS = 5_000

/**
 * How long to wait before an attempt to connect. With jitter, so that clients do not all reconnect at the same moment after a restart of the
 * service.
 */
export function backoffMs(attempt: number, outageMs: number, random: number, isAfterAbuse: boolean): number {
  const max = Math.max(MAX_MS, Math.min(LONG_OUTAGE_MAX_MS, (MAX_MS * outageMs) / LONG_OUTAGE_MS))
  const longest = Math.min(FIRST_MS * 2 ** attempt, max)
  return (isAfterAbuse ? AFTER_ABUSE_MS : 0) + longest * (0.5 + random / 2)
}
