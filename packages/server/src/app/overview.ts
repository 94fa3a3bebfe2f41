import { createOverview, projectsRoutes } from '../capabilities/projects/index.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Hosting } from './hosting.ts'
import type { buildPersonalData } from './personal-data.ts'
import type { Players } from './players.ts'
import type { buildRealtime } from './realtime.ts'

type OverviewModuleDeps = {
  developers: Pick<Developers, 'projects' | 'keys'>
  players: Pick<Players, 'activity' | 'bans' | 'appeals'>
  personalData: Pick<
    ReturnType<typeof buildPersonalData>,
    'playerCounts' | 'playersTotal' | 'newPlayersByDay' | 'firstPlayerAt'
  >
  hosting: Pick<Hosting, 'deployments'>
  realtime: Pick<ReturnType<typeof buildRealtime>, 'online' | 'onlineInEach' | 'firstRoomAt'>
}

/**
 * The endpoints of projects and keys. They are added here and not in `developers.ts`, because the list of projects and the overview of
 * an environment contain numbers from modules that are built later.
 */
export function buildOverview(foundation: Foundation, deps: OverviewModuleDeps) {
  const { developers, players, personalData, hosting, realtime } = deps
  const { projects, keys } = developers
  const overview = createOverview({
    projects,
    keys,
    clock: foundation.clock,
    configVersion: async (environmentId) => (await foundation.currentConfig.current(environmentId)).version,
    failedMails: foundation.outbox.countFailed,
    playerCounts: personalData.playerCounts,
    playersTotal: personalData.playersTotal,
    newPlayersByDay: personalData.newPlayersByDay,
    firstPlayerAt: personalData.firstPlayerAt,
    dailyActives: players.activity.daily,
    bansByDay: players.bans.countByDay,
    openAppeals: players.appeals.countOpen,
    firstDeploymentAt: hosting.deployments.firstCreatedAt,
    liveVersion: hosting.deployments.liveVersion,
    online: realtime.online,
    onlineInEach: realtime.onlineInEach,
    firstRoomAt: realtime.firstRoomAt,
  })

  return { mount: ({ route }: Mounts) => projectsRoutes(route, projects, keys, overview) }
}
