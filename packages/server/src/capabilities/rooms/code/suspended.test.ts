import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newCodeGame } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { topUp } from '../../../testing/money.ts'
import type { GamePlayer } from '../../../testing/rooms.ts'
import { engines } from '../../../testing/service.ts'

const CLASSES = `
export class Arena extends Room {
  state = { count: 0 }
  messages = { add: () => ++this.state.count }
}`

for (const engine of engines)
  test(`[RWC-47] on ${engine} rooms of who owes money, or of whom the operator suspends, are closed with suspended; relay rooms go on`, async (t) => {
    const service = await startFunctionsService(engine, { SVC_BILLING: 'on' })
    t.after(() => service.stop())
    const developer = await service.newDeveloper()
    await topUp(service, developer, 500)
    const game = await newCodeGame({ ...service, newProject: () => service.newProject(developer) }, CLASSES)
    const minute = async () => {
      await service.everyMinute()
      await service.background.drained()
    }
    const [player, relayed] = (await game.players(2)) as [GamePlayer, GamePlayer]
    await relayed.request({ t: 'create', mode: 'relay' })
    await player.request({ t: 'create' })
    const environmentId = game.project.environments.find(({ name }) => name === 'development')?.id ?? ''

    service.money.noteUsage(environmentId, 'functions.requests', 100_000_000)
    await minute()
    assert.deepEqual(await player.next('room_closed'), { t: 'room_closed', reason: 'suspended' })
    assert.equal((await player.refusal({ t: 'create' })).code, 'mode_unavailable')
    await relayed.request({ t: 'setState', patch: { a: 1 } })

    await topUp(service, developer, 10_000)
    await minute()
    await player.request({ t: 'create' })
    assert.deepEqual(await player.request({ t: 'send', type: 'add' }), { data: 1 })
    await service.functions.suspendProject(game.project.slug, true)
    assert.deepEqual(await player.next('room_closed'), { t: 'room_closed', reason: 'suspended' })
    await game.end()
  })
