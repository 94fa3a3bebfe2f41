import type { EventHint } from '@svc/contract/events'
import { useEffect } from 'preact/hooks'

import { asSvcError, type CallName, followEvents } from './developer.ts'
import { follow, refresh, unfollow } from './queries.ts'
import type { Route, EnvironmentParams } from './route.ts'

const RETRY_FIRST_MS = 2_000
const RETRY_MAX_MS = 60_000

/** The calls to repeat after a hint. Every change is also in the audit log. */
const CALLS: Record<string, readonly CallName[]> = {
  config: ['readConfig', 'listConfigVersions', 'listFeatures', 'listLeaderboards'],
  deployment: ['readHosting', 'listDeployments', 'listActivations'],
  hosting: ['readHosting', 'listDeployments', 'listActivations'],
  key: ['listKeys', 'readOverview'],
  player: ['searchPlayers', 'readPlayerDetail', 'readOverview'],
  save: ['readPlayerDetail'],
  stats: ['readPlayerStats', 'readLeaderboardAsAdmin'],
  appeal: ['listAppeals', 'readPlayerDetail', 'readOverview'],
  mails: ['listMails', 'readOverview'],
  functions: ['readFunctions', 'listFunctionDeployments'],
  share_link: ['readShareStats'],
  leaderboard: ['listLeaderboards', 'readLeaderboardAsAdmin'],
  project: ['listProjects'],
  member: ['listMembers', 'listProjects'],
  transfer: ['listMembers', 'listProjects'],
  agent: ['listAgents', 'readAgent'],
  approval: ['listApprovals', 'readApproval'],
}
/** For these calls there is a hint for every change: while a stream is open, they are polled once a minute. */
const FOLLOWED: ReadonlySet<CallName> = new Set<CallName>([
  'readConfig',
  'readHosting',
  'listDeployments',
  'listKeys',
  'listAppeals',
  'listAudit',
  'listMails',
  'listMembers',
])

const callsOf = ({ topic }: EventHint): readonly CallName[] =>
  topic === 'all' ? [...new Set(Object.values(CALLS).flat())] : (CALLS[topic] ?? [])

/** Follows the changes of the open environment while the tab is visible. Without a stream, pages poll as usual. */
export function useEvents({ params, project, env }: Route) {
  useEffect(() => {
    let stream: AbortController | undefined
    const begin = () => {
      stream?.abort()
      unfollow()
      if (document.hidden) return
      stream = new AbortController()
      void followAgain(params, stream.signal)
    }
    begin()
    document.addEventListener('visibilitychange', begin)
    return () => {
      document.removeEventListener('visibilitychange', begin)
      stream?.abort()
      unfollow()
    }
  }, [project.id, env])
}

async function followAgain(params: EnvironmentParams, signal: AbortSignal) {
  let opened = 0
  for (let failures = 0; !signal.aborted; failures++) {
    const onOpen = () => {
      failures = 0
      follow(FOLLOWED)
      // The role may have changed again while no stream was open.
      if (opened++ > 0) refresh('listProjects')
    }
    const onHint = (hint: EventHint) => refresh('listAudit', ...callsOf(hint))
    const code = await followEvents(params, { onOpen, onHint }, signal).then(
      () => 'ended',
      (error: unknown) => asSvcError(error).code,
    )
    // Another stream may be open by now.
    if (signal.aborted || code === 'unauthorized') return
    unfollow()
    // The service ends the stream of a developer who was removed or has another role.
    if (code === 'ended' || code === 'project_not_found') refresh('listProjects')
    const waitMs =
      code === 'too_many_event_streams' ? RETRY_MAX_MS : RETRY_FIRST_MS * 2 ** Math.min(failures, 5)
    await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, RETRY_MAX_MS)))
  }
}
