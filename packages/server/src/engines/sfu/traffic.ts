import type { SfuTotals } from '../../platform/ports/sfu.ts'

/** What the relay server counts; its process and the service add to it. */
export type Traffic = Pick<SfuTotals, 'packetsIn' | 'packetsOut' | 'dropped'>

export const newTraffic = (): Traffic => ({
  packetsIn: 0,
  packetsOut: 0,
  dropped: { muted: 0, slots: 0, rate: 0, invalid: 0, late: 0 },
})
