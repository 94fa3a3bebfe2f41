import assert from 'node:assert/strict'

import type { Call, TestEnvironment } from './service.ts'

export type Guest = {
  id: string
  displayName: string
  accessToken: string
  refreshToken: string
  call: Call
  /** The same player, calling another node. */
  at: (other: Call) => Call
}

/** Signs in as a new guest. */
export async function newGuest(side: Pick<TestEnvironment, 'public'>): Promise<Guest> {
  const { status, body } = await side.public('POST', '/v1/auth/guest', {})
  assert.equal(status, 200, JSON.stringify(body))
  return asGuest(side.public, body)
}

type Session = { player: { id: string; displayName: string }; accessToken: string; refreshToken: string }

export function asGuest(app: Call, { player, accessToken, refreshToken }: Session): Guest {
  const at =
    (call: Call): Call =>
    (method, url, body, headers) =>
      call(method, url, body, { authorization: `Bearer ${accessToken}`, ...headers })
  return { id: player.id, displayName: player.displayName, accessToken, refreshToken, call: at(app), at }
}
