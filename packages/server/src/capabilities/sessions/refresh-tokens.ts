import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

/** The content of a refresh token: its session and its position in the chain. */
export type RefreshUse = { sessionId: string; generation: number }

const TOKEN = /^rt_(?<session>[0-9a-z]{26})\.(?<generation>[0-9a-z]{1,8})\.[\w-]{43}$/

/**
 * A refresh token contains its session and its position in the chain, with a MAC whose key is not in plain text in the database. So
 * one row stores a whole chain, every token of the chain is recognized, and no token is stored.
 */
export function createRefreshTokens(keyBytes: Buffer) {
  const key = createSecretKey(keyBytes)
  const mac = (environmentId: string, { sessionId, generation }: RefreshUse) =>
    createHmac('sha256', key).update(`${environmentId}\n${sessionId}\n${generation}`).digest('base64url')

  function write(environmentId: string, use: RefreshUse): string {
    const proof = mac(environmentId, use)
    return `rt_${use.sessionId.slice('ses_'.length)}.${use.generation.toString(36)}.${proof}`
  }

  return {
    write,

    /** Undefined if this service did not issue the token in this environment: a token has exactly one spelling. */
    read(environmentId: string, token: string): RefreshUse | undefined {
      const { session, generation } = TOKEN.exec(token)?.groups ?? {}
      if (!session || !generation) return undefined
      const use = { sessionId: `ses_${session}`, generation: Number.parseInt(generation, 36) }
      const [input, ours] = [Buffer.from(token), Buffer.from(write(environmentId, use))]
      return input.length === ours.length && timingSafeEqual(input, ours) ? use : undefined
    },
  }
}

export type RefreshTokens = ReturnType<typeof createRefreshTokens>
