import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ERRORS } from './errors.ts'

test('[ERR-01] codes of frames have the HTTP status of the specification', () => {
  const expected = {
    identity_already_linked: 409,
    p2p_room_full: 409,
    turn_unavailable: 503,
    channel_exists: 409,
    channel_full: 409,
    channel_forbidden: 403,
    channel_banned: 403,
    player_required: 401,
    too_many_channels: 409,
    owner_only: 403,
    muted: 403,
    send_forbidden: 403,
    payload_too_large: 413,
    voice_too_large: 400,
  } as const
  for (const [code, status] of Object.entries(expected))
    assert.equal(ERRORS[code as keyof typeof expected].status, status, code)
})
