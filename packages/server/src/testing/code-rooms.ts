import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'

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

/** The processes of rooms that this test has started. */
export function workerdPids(): number[] {
  const lines = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,comm=']).toString().trim().split('\n')
  const all = lines.map((line) => line.trim().split(/\s+/))
  const parents = new Map(all.map(([pid, ppid]) => [Number(pid), Number(ppid)]))
  const isMine = (pid: number): boolean =>
    pid === process.pid || (parents.has(pid) && pid > 1 && isMine(parents.get(pid) ?? 0))
  return all.flatMap(([pid, , comm]) => (comm === 'workerd' && isMine(Number(pid)) ? Number(pid) : []))
}

const TICK_MS = 50

/**
 * A question to the code waits for the next tick. The clock moves as fast as the time: faster, a process on a busy machine would be given
 * up before it could answer.
 */
export async function ticking<T>({ clock }: Pick<Service, 'clock'>, answer: Promise<T>): Promise<T> {
  let isDone = false
  const done = answer.finally(() => (isDone = true))
  while (!isDone) {
    clock.advance(TICK_MS)
    await Promise.race([done.catch(() => {}), pause(TICK_MS)])
  }
  return done
}
