import { setTimeout as pause } from 'node:timers/promises'

import type { GameServer } from '../realtime/game-server.ts'
import { callerOf } from '../server-process.ts'

type Address = { port: number }
type Answer = { status: number; body: { version: number; data: { text: string } } }

/** An access token is valid for 15 minutes. */
const PLAYER_MS = 10 * 60_000
const RETRY_MS = 200

/**
 * Players who write one save after the other, each time to the next node, and know what was acknowledged. After a request without a
 * clear answer they read the save: it must be the acknowledged one, or one that they have sent since.
 */
export function startSavers(
  game: GameServer,
  addresses: () => Address[],
  { players, pauseMs }: { players: number; pauseMs: number },
) {
  const report = { acknowledged: 0, lost: 0, statuses: new Map<string, number>() }
  let isStopping = false
  let turn = 0

  async function call(method: string, token: string, body?: object): Promise<Answer | undefined> {
    const all = addresses()
    const address = all[turn++ % all.length]
    if (!address) return undefined
    try {
      const options = { key: game.publishableKey, token, ...(body && { body }) }
      const answer = await callerOf(address)(method, '/v1/saves/slot', options)
      count(`${method} ${answer.status}`)
      return answer as Answer
    } catch {
      count(`${method} without an answer`)
      return undefined
    }
  }
  const count = (what: string) => report.statuses.set(what, (report.statuses.get(what) ?? 0) + 1)

  async function newToken(): Promise<string> {
    for (;;)
      try {
        return (await game.newPlayer(addresses()[turn++ % addresses().length])).accessToken
      } catch {
        await pause(RETRY_MS)
      }
  }

  async function play(name: number) {
    const token = await newToken()
    const endsAt = performance.now() + PLAYER_MS
    let version = 0
    let text = ''
    let sent: string[] = []
    for (let n = 1; !isStopping && performance.now() < endsAt; n++) {
      const next = `player ${name}, save ${n}`
      const answer = await call('PUT', token, { data: { text: next }, ifVersion: version })
      if (answer?.status === 200) {
        report.acknowledged++
        version = answer.body.version
        text = next
        sent = []
        await pause(pauseMs)
        continue
      }
      sent.push(next)
      const stored = await read(token)
      if (stored.text !== text && !sent.includes(stored.text)) report.lost++
      if (stored.text !== text) sent = []
      ;({ version, text } = stored)
    }
    const stored = await read(token)
    if (stored.text !== text && !sent.includes(stored.text)) report.lost++
  }

  async function read(token: string): Promise<{ version: number; text: string }> {
    for (;;) {
      const answer = await call('GET', token)
      if (answer?.status === 200) return { version: answer.body.version, text: answer.body.data.text }
      if (answer?.status === 404) return { version: 0, text: '' }
      await pause(RETRY_MS)
    }
  }

  const playing = Array.from({ length: players }, async (_, name) => {
    while (!isStopping) await play(name)
  })

  return {
    report,
    /** Every player reads its save once more. */
    async stop() {
      isStopping = true
      await Promise.all(playing)
      return report
    },
  }
}
