import assert from 'node:assert/strict'

import type { Service } from './service.ts'
import { newStatsPlayer } from './stats-player.ts'

export type StatsPlayer = Awaited<ReturnType<typeof newStatsPlayer>>

/** A game with a leaderboard for each aggregation. */
export const BOARDS = {
  features: { stats: true },
  stats: [
    { key: 'total', leaderboard: {} },
    { key: 'best', aggregation: 'max', leaderboard: { periods: ['daily', 'weekly', 'monthly', 'allTime'] } },
    { key: 'fastest', aggregation: 'min', leaderboard: { periods: ['daily'] } },
    { key: 'level', aggregation: 'latest', leaderboard: { order: 'asc' } },
    { key: 'plain' },
  ],
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
}

export type Row = {
  rank: number
  playerId: string | null
  displayName: string | null
  value: number
  reachedAt: string
}

/** A project whose development environment has leaderboards. */
export async function newBoardGame(service: Service, config: object = BOARDS) {
  const project = await service.newProject()
  const { development } = project
  const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
  const push = async (document: object) => {
    const { status, body } = await development.server('PUT', '/v1/config', document)
    assert.equal(status, 200, JSON.stringify(body))
  }
  await push(config)

  return {
    project,
    development,
    environmentId,
    push,
    player: () => newStatsPlayer(development),
    players: async (count: number): Promise<StatsPlayer[]> => {
      const made: StatsPlayer[] = []
      for (let at = 0; at < count; at++) made.push(await newStatsPlayer(development))
      return made
    },
    /** Lists are cached for a second, so the clock is advanced by one. */
    async list(key: string, query = '') {
      service.clock.advance(1_000)
      const { status, body } = await development.public('GET', `/v1/x/leaderboards/${key}${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body as { entries: Row[]; count: number; label: string | null; nextCursor: string | null }
    },
    admin: (method: string, path: string, body?: unknown) =>
      development.server(method, `/v1/admin/x/leaderboards/${path}`, body),
  }
}

export type BoardGame = Awaited<ReturnType<typeof newBoardGame>>

/** Players and values of a list, best first. */
export const placesIn = ({ entries }: { entries: Row[] }) =>
  entries.map(({ rank, playerId, value }) => [rank, playerId, value])
