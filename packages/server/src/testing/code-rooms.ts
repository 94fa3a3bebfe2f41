import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

import { deployFunctions } from './deployed-functions.ts'
import { type GamePlayer, newGame } from './rooms.ts'
import type { Service, TestEnvironment } from './service.ts'

const SDK = new URL('../../../sdk/src/room/room.ts', import.meta.url)
const sdk = stripTypeScriptTypes(readFileSync(SDK, 'utf8'))

/** Deploys the text of classes that extend `Room`; `Room` and `Refusal` are imported. */
export const deployRooms = (side: Pick<TestEnvironment, 'server'>, classes: string, rest: object = {}) =>
  deployFunctions(
    side,
    [
      {
        name: 'index.js',
        content: `import { Room, Refusal } from './room.js'\n${classes}\nexport default { fetch: () => new Response('ok') }\n`,
      },
      { name: 'room.js', content: sdk },
    ],
    rest,
  )

/** A game whose mode `default` runs this class. */
export async function newCodeGame(
  service: Service,
  classes: string,
  { className = 'Arena', mode = {}, room = {} }: { className?: string; mode?: object; room?: object } = {},
) {
  const game = await newGame(service, [
    { key: 'default', maxPlayers: 8, ...mode, room: { class: className, ...room } },
    { key: 'relay' },
  ])
  await deployRooms(game.side, classes)
  return game
}

/** The state of a room as a client has it: what it was shown, with all patches since. */
export function merged({ received }: Pick<GamePlayer, 'received'>) {
  let [state, own]: [unknown, unknown] = [{}, {}]
  for (const event of received) {
    if (event.t === 'room_joined')
      [state, own] = [structuredClone(event.room.state), structuredClone(event.room.own)]
    if (event.t !== 'sync') continue
    if (event.patch) state = mergePatch(state, event.patch)
    if (event.own) own = mergePatch(own, event.own)
  }
  return { state, own }
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = mergePatch(result[key], value)
  }
  return result
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
