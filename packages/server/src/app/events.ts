import { createChanges, createEvents, eventsRoutes } from '../capabilities/events/index.ts'
import type { Environment } from '../platform/environment.ts'
import type { AgentsModule } from './agents.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { buildPersonalData } from './personal-data.ts'
import type { Players } from './players.ts'
import type { buildRealtime } from './realtime.ts'

type EventsModuleDeps = {
  agents: Pick<AgentsModule, 'approvals'>
  developers: Pick<Developers, 'find' | 'onSessionEnd' | 'projects'>
  players: Pick<Players, 'appeals'>
  personalData: Pick<ReturnType<typeof buildPersonalData>, 'newestPlayerId'>
  realtime: Pick<ReturnType<typeof buildRealtime>, 'queries'>
}

/** Streams that say what has changed in an environment. */
export function buildEvents(foundation: Foundation, deps: EventsModuleDeps) {
  const { clock, audit, outbox, log } = foundation
  const { agents, developers, players, personalData, realtime } = deps

  const events = createEvents({
    clock,
    queries: realtime.queries,
    changesOf: createChanges({
      auditAfter: audit.changesAfter,
      marks: {
        player: ({ id }: Environment) => personalData.newestPlayerId(id),
        appeal: async ({ id }: Environment) => String(await players.appeals.countOpen(id)),
        mails: outbox.newestMark,
        approval: agents.approvals.newestMark,
      },
    }),
    async roleOf(token, projectId) {
      const developer = await developers.find(token)
      return developer && (await developers.projects.find(developer.id, projectId))?.role
    },
    report: (error) => log.warn({ err: error }, 'event streams could not be served'),
  })
  developers.onSessionEnd(events.sessionEnded)
  foundation.events.on('member.changed', (projectId) => events.membersChanged(projectId))

  return {
    mount: ({ route }: Mounts) => eventsRoutes(route, events),
    everySecond: events.poll,
    stop: events.stop,
  }
}
