import type { Call, Service } from './service.ts'

type Side = { public: Call; server: Call; publishableKey: string }

/** A guest who reports values. The access token expires after 15 minutes: `renew` gets another. */
export async function newStatsPlayer(side: Side) {
  const { body: session } = await side.public('POST', '/v1/auth/guest', {})
  let { accessToken, refreshToken } = session
  const call: Call = (method, url, body, headers) =>
    side.public(method, url, body, { authorization: `Bearer ${accessToken}`, ...headers })

  return {
    id: session.player.id as string,
    call,
    accessToken: () => accessToken as string,
    submit: (stats: Record<string, unknown>, idempotencyKey?: string) =>
      call('POST', '/v1/stats', { stats }, idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    read: async () => (await call('GET', '/v1/stats')).body.stats as Record<string, number>,
    /** The same player through another node. */
    on: (node: Service): Call => {
      const withKey = node.withKey(side.publishableKey)
      return (method, url, body) => withKey(method, url, body, { authorization: `Bearer ${accessToken}` })
    },
    async renew() {
      ;({ accessToken, refreshToken } = (
        await side.public('POST', '/v1/auth/refresh', { refreshToken })
      ).body)
    },
  }
}
