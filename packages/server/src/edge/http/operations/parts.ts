import type { Part } from '@svc/contract/platform'

import { type Monotonic, monotonicMs } from '../../../platform/clock.ts'

/** Looks at one part of the service. What it throws is reported as `failing`, with the message. */
export type LookAtPart = () => Promise<Part>
export type Parts = Readonly<Record<string, LookAtPart>>

const FRESH_MS = 5_000
const LOOK_TIMEOUT_MS = 5_000

/**
 * The state of every part, for the operator. None of it changes readiness. Some parts call other servers (mail, payments), so all
 * requests within five seconds share one look.
 */
export function createPartStates(
  parts: Parts,
  now: Monotonic = monotonicMs,
): () => Promise<Record<string, Part>> {
  let states: Promise<Record<string, Part>> | undefined
  let lookedAt = -Infinity

  const lookAtAll = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(parts).map(async ([name, look]) => [name, await stateOf(look)] as const),
      ),
    )

  return () => {
    if (states && now() - lookedAt < FRESH_MS) return states
    lookedAt = now()
    return (states = lookAtAll())
  }
}

async function stateOf(look: LookAtPart): Promise<Part> {
  const late = Promise.withResolvers<Part>()
  const timeout = setTimeout(late.resolve, LOOK_TIMEOUT_MS, {
    state: 'failing',
    says: `no answer within ${LOOK_TIMEOUT_MS / 1_000} s`,
  })
  const looked = (async () => look())().catch((error: unknown) => ({
    state: 'failing' as const,
    says: error instanceof Error ? error.message : String(error),
  }))
  try {
    return await Promise.race([looked, late.promise])
  } finally {
    clearTimeout(timeout)
  }
}
