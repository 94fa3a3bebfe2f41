import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type GamePlayer, newGame } from '../../testing/rooms.ts'
import { type Service, startService } from '../../testing/service.ts'

describe('problems of frames', () => {
  let service: Service
  let player: GamePlayer
  let game: Awaited<ReturnType<typeof newGame>>
  before(async () => {
    service = await startService('sqlite')
    game = await newGame(service, [{ key: 'duel', title: 'Duel', minPlayers: 2, maxPlayers: 2 }])
    player = await game.player()
  })
  after(() => service.stop())

  const refused: [frame: { t: string; [field: string]: unknown }, messages: string[]][] = [
    [{ t: 'create', code: 'x' }, ['code must be 4 to 12 letters and digits']],
    [
      { t: 'create', private: 'yes', maxPlayers: 65 },
      ['private must be true or false', 'maxPlayers must be a whole number from 1 to 64'],
    ],
    [
      { t: 'create', mode: 'duel', maxPlayers: 3 },
      ['maxPlayers must be at most 2, the maxPlayers of the mode'],
    ],
    [{ t: 'lock' }, ['locked is required']],
    [{ t: 'setState', patch: [] }, ['patch must be an object']],
    [{ t: 'send', type: 'x'.repeat(65) }, ['type must be text of at most 64 characters']],
    [{ t: 'signal', to: 'x', kind: 'hello' }, ['kind must be one of offer, answer, candidate, restart']],
    [{ t: 'join' }, ['send either roomId or code']],
  ]
  for (const [frame, messages] of refused) {
    test(`[GEN-06] ${frame.t}: ${messages.join('; ')}`, async () => {
      const refusal = await player.refusal(frame)
      assert.equal(refusal.code, 'invalid_request')
      const errors = refusal.details?.['errors'] as { message: string }[]
      assert.deepEqual(
        errors.map(({ message }) => message),
        messages,
      )
    })
  }
})
