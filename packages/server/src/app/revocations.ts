import type { AgentsModule } from './agents.ts'
import type { Developers } from './developers.ts'
import type { Foundation } from './foundation.ts'
import type { GameData } from './game-data.ts'
import type { Money } from './money.ts'
import type { Players } from './players.ts'
import type { buildRealtime } from './realtime.ts'

type Deps = {
  money: Pick<Money, 'checkOverdue'>
  keys: Pick<Developers['keys'], 'drop'>
  agents: Pick<AgentsModule['agents'], 'drop'>
  deletions: Pick<Players['deletions'], 'remember'>
  leaderboards: Pick<GameData['leaderboards'], 'drop' | 'configChanged'>
  realtime: Pick<
    ReturnType<typeof buildRealtime>,
    'recheckPlayer' | 'recheckKeys' | 'configChanged' | 'closeSuspendedCalls'
  >
}

/** What a node does about a new entry in the list of revocations: the same as for the bus message, which may have been lost. */
export function applyRevocations({ revocations, currentConfig, events }: Foundation, deps: Deps) {
  const { keys, agents, deletions, money, realtime, leaderboards } = deps

  revocations.on('player', ({ environmentId, subject }) =>
    realtime.recheckPlayer(environmentId ?? '', subject),
  )
  revocations.on('player_deleted', async ({ environmentId, subject }) => {
    deletions.remember(environmentId ?? '', subject)
    leaderboards.drop(environmentId ?? '')
    await realtime.recheckPlayer(environmentId ?? '', subject)
  })
  revocations.on('key', async ({ subject }) => {
    keys.drop(subject)
    await realtime.recheckKeys()
  })
  revocations.on('member', ({ subject }) => {
    const [projectId = '', developerId = ''] = subject.split(' ')
    return events.emit('member.changed', projectId, developerId)
  })
  revocations.on('owner', ({ subject }) => events.emit('owner.changed', subject))
  revocations.on('agent', ({ subject }) => agents.drop(subject))
  revocations.on('voice', ({ subject }) => realtime.closeSuspendedCalls(subject))
  revocations.on('money', ({ subject }) => money.checkOverdue(subject))
  revocations.on('leaderboards', ({ environmentId }) => leaderboards.drop(environmentId ?? ''))
  revocations.on('config', async ({ environmentId }) => {
    currentConfig.forget(environmentId ?? '')
    await realtime.configChanged(environmentId ?? '')
    await leaderboards.configChanged(environmentId ?? '')
  })
}
