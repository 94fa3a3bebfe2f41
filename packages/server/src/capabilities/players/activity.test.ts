import { test } from 'node:test'

import { createStoppedClock } from '../../platform/clock.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { engines } from '../../testing/service.ts'
import { createActivityStore } from './activity-store.ts'
import { createActivity } from './activity.ts'

/** More than a database takes at once. */
const PLAYERS = 6_000

for (const engine of engines) {
  test(`however many players were there in a minute, none of them is refused, on ${engine}`, async (t) => {
    const { db, close } = await openTestDatabase(engine)
    t.after(close)
    const activity = createActivity(createActivityStore(db), createStoppedClock())
    for (let player = 0; player < PLAYERS; player++) activity.note('env_1', `plr_${player}`)
    await activity.write()
  })
}
