import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { freePort } from '../../../../scripts/free-port.ts'
import { seededNumbers } from '../../../server/src/testing/hostile-connections.ts'
import { newGameServer } from '../../../server/test/realtime/game-server.ts'
import { startServer } from '../../../server/test/server-process.ts'
import { type Player, startPlayer } from './player.ts'

export type LivesReport = {
  /** What must never happen, in words. */
  wrong: string[]
  reports: number
  events: Record<string, number>
}
type Lives = { players: number; seconds: number; seed: number; longestMs: number }

const CONFIG = {
  features: { saves: true, stats: true, multiplayer: true, realtimeChannels: true },
  stats: [{ key: 'points' }],
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
  multiplayer: { modes: [{ key: 'party', minPlayers: 2, maxPlayers: 16, fillTimeoutSeconds: 1 }] },
}
/** Longer than an access token is valid: the next call refreshes the session. */
const CLOCK_STEP_MS = 16 * 60_000

/**
 * Players with random lives: networks stall, die and are reset, answers end in their middle, pages are closed and opened, tabs come and
 * go, storage is cleared, clocks are set, devices sleep, and the service is restarted. What was confirmed must be there, each report must
 * count once, no message may arrive twice, and everybody must stay the same player.
 */
export async function runLives(
  { players, seconds, seed, longestMs }: Lives,
  log: (line: string) => void,
): Promise<LivesReport> {
  const report: LivesReport = { wrong: [], reports: 0, events: {} }
  const wrong = (what: string) => {
    if (report.wrong.includes(what)) return
    report.wrong.push(what)
    log(`wrong: ${what}`)
  }
  const number = seededNumbers(seed)
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-lives-'))
  const port = await freePort()
  const settings = { SVC_DATA_DIR: join(folder, 'data'), SVC_RATE_LIMITS: 'off', SVC_SIGN_UP: 'open' }
  const start = () => startServer({ ...settings, PORT: String(port) })
  let service = await start()
  const all: Player[] = []
  const endsAt = performance.now() + seconds * 1_000

  const count = (event: string) => (report.events[event] = (report.events[event] ?? 0) + 1)
  const some = (ms: number) => pause(ms / 8 + number(ms))

  async function live(player: Player) {
    const { network, tell } = player
    const events: Record<string, () => unknown> = {
      'stalled network': async () => (network.stall(), await some(longestMs), network.back()),
      'dead network': async () => (network.die(), await some(longestMs), network.back()),
      'reset of all connections': () => network.cut(),
      'half an answer': () => network.cutNextAnswer(),
      'page opened again': () => player.reload(),
      'other tab': () => tell({ do: 'tab' }),
      'storage cleared': () => player.clear(),
      'clock set': () => tell({ do: 'clock', ms: number(2) ? CLOCK_STEP_MS : -CLOCK_STEP_MS }),
      async 'answer to a refresh lost'() {
        tell({ do: 'clock', ms: CLOCK_STEP_MS })
        network.loseNextAnswer()
        await some(longestMs)
        network.back()
      },
      async 'device asleep'() {
        player.signal('SIGSTOP')
        network.die()
        await some(longestMs)
        network.back()
        player.signal('SIGCONT')
      },
    }
    const names = Object.keys(events)
    while (performance.now() < endsAt) {
      await some(longestMs / 4)
      const name = names[number(names.length)] ?? ''
      count(name)
      await events[name]?.()
    }
  }

  async function restart() {
    while (performance.now() < endsAt) {
      await some(longestMs * 2)
      const signal = number(2) ? 'SIGTERM' : 'SIGKILL'
      count(`service ended with ${signal}`)
      service.signal(signal)
      await service.ended
      service = await start()
    }
  }

  try {
    const { publishableKey: key } = await newGameServer(service, CONFIG)
    for (let at = 0; at < players; at++) {
      const storageFile = join(folder, `storage-${at}`)
      all.push(await startPlayer(`p${at}`, { port, key, storageFile }, wrong))
    }
    await Promise.all([...all.map(live), restart()])
    for (const { network } of all) network.back()
    log(`the last networks are back: ${JSON.stringify(report.events)}`)

    await Promise.all(
      all.map(async ({ name, finish, saved, reports }) => {
        const { saves, points } = await finish()
        for (const [slot, n] of saved)
          if ((saves[slot] ?? 0) < n) wrong(`${name}: ${slot} is ${saves[slot]}, ${n} was confirmed`)
        if (points < reports.all - reports.unknown || points > reports.all)
          wrong(`${name}: ${points} of ${reports.all} reports count; ${reports.unknown} may or may not`)
        report.reports += reports.all
      }),
    )
    return report
  } finally {
    for (const player of all) await player.stop()
    service.signal('SIGKILL')
    await service.ended
    await rm(folder, { recursive: true, force: true })
  }
}
