import type { AgeBand, AgeProfile, AgeSignal } from '@svc/contract/moderation'

/** What is known of a player's age; a correction takes the place of both (AGE-07). */
export type Age = { declared: AgeBand | null; signalled: AgeBand | null }

export const UNKNOWN: Age = { declared: null, signalled: null }

const STRICTEST_FIRST: readonly AgeBand[] = ['child', 'teen', 'adult']

export const isLooser = (band: AgeBand, than: AgeBand): boolean =>
  STRICTEST_FIRST.indexOf(band) > STRICTEST_FIRST.indexOf(than)

const stricter = (band: AgeBand, other: AgeBand | null): AgeBand =>
  other === null || isLooser(other, band) ? band : other

/** The band that counts: the strictest of what was declared, what was signalled, and what the audience makes of it (AGE-02, AGE-07). */
export function bandFor({ declared, signalled }: Age, audience: string): AgeBand {
  if (audience === 'kids') return 'child'
  const unknown = audience === 'mixed' ? 'child' : 'adult'
  return stricter(declared ?? unknown, signalled)
}

/** The first declaration is free, or nobody could ever grow out of `mixed`; every later one is at most as loose (AGE-04). */
export const mayDeclare = ({ declared }: Age, band: AgeBand): boolean =>
  declared === null || !isLooser(band, declared)

/** Signals add up to the strictest of them. */
export function withSignal(age: Age, signal: AgeSignal): Age {
  const band = bandSignalled(signal)
  return band === null ? age : { ...age, signalled: stricter(band, age.signalled) }
}

export const correctedTo = (band: AgeBand): Age => ({ declared: band, signalled: null })

/** AGE-06: only what is certain counts. */
function bandSignalled({ lowerBound, upperBound, supervised = false }: AgeSignal): AgeBand | null {
  if (upperBound === undefined) return supervised && lowerBound === undefined ? 'child' : null
  if (upperBound < 13) return 'child'
  return upperBound < 18 ? 'teen' : null
}

/** AGE-09 */
export const capabilitiesFor = (band: AgeBand): AgeProfile['capabilities'] => ({
  directPeer: band !== 'child',
  voice: true,
  publicXProfile: band !== 'child',
  newsOptIn: band !== 'child',
})
