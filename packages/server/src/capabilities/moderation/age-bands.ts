import type { AgeBand, AgeProfile, AgeSignal } from '@svc/contract/moderation'

/** What is known about a player's age; a correction replaces both values (AGE-07). */
export type Age = { declared: AgeBand | null; signalled: AgeBand | null }

export const UNKNOWN: Age = { declared: null, signalled: null }

const STRICTEST_FIRST: readonly AgeBand[] = ['child', 'teen', 'adult']

export const isLooser = (band: AgeBand, than: AgeBand): boolean =>
  STRICTEST_FIRST.indexOf(band) > STRICTEST_FIRST.indexOf(than)

const stricter = (band: AgeBand, other: AgeBand | null): AgeBand =>
  other === null || isLooser(other, band) ? band : other

/**
 * The effective band: the strictest of the declared band or the audience's default, the signalled band, and the audience (AGE-02,
 * AGE-07).
 */
export function bandFor({ declared, signalled }: Age, audience: string): AgeBand {
  if (audience === 'kids') return 'child'
  const unknown = audience === 'mixed' ? 'child' : 'adult'
  return stricter(declared ?? unknown, signalled)
}

/**
 * The first declaration may be any band, because players in `mixed` start as children; later ones must be the same or stricter
 * (AGE-04).
 */
export const mayDeclare = ({ declared }: Age, band: AgeBand): boolean =>
  declared === null || !isLooser(band, declared)

/** The strictest of all signals counts. */
export function withSignal(age: Age, signal: AgeSignal): Age {
  const band = bandSignalled(signal)
  return band === null ? age : { ...age, signalled: stricter(band, age.signalled) }
}

export const correctedTo = (band: AgeBand): Age => ({ declared: band, signalled: null })

/** AGE-06: a signal counts only if it is unambiguous. */
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
