import { type Monotonic, monotonicMs } from '../../../platform/clock.ts'

/** One check per engine, by its name; rejects while the engine cannot do its work. */
export type Checks = Record<string, () => Promise<unknown>>

const FRESH_MS = 1_000
const CHECK_TIMEOUT_MS = 5_000

/**
 * The names of the engines that cannot do their work. Everybody may call it without a key, and each round of checks includes a
 * write; so all calls within a second share one round.
 */
export function createReadiness(checks: Checks, now: Monotonic = monotonicMs): () => Promise<string[]> {
  let down: Promise<string[]> | undefined
  let askedAt = -Infinity
  let isAsking = false

  async function ask(): Promise<string[]> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => ((await isDown(check)) ? [name] : [])),
    )
    isAsking = false
    return results.flat()
  }

  return () => {
    if (down && (isAsking || now() - askedAt < FRESH_MS)) return down
    isAsking = true
    askedAt = now()
    return (down = ask())
  }
}

/** An engine that does not answer in time counts as down. */
async function isDown(check: () => Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timeout = setTimeout(late.resolve, CHECK_TIMEOUT_MS, true)
  const answered = check().then(
    () => false,
    () => true,
  )
  try {
    return await Promise.race([answered, late.promise])
  } finally {
    clearTimeout(timeout)
  }
}
