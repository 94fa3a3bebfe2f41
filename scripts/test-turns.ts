import { isTurn } from '../packages/server/src/testing/runs.ts'

/**
 * Test files that take turns: a run of the whole suite takes one of these lists, another one after the next commit perhaps. They repeat
 * in browsers, with several programs or under faults what cheaper files test in every run, and take about the same CPU time each.
 */
export const TURNS: readonly (readonly string[])[] = [
  [
    'packages/cli/test/lobby-chat.browser.test.ts',
    'packages/cli/test/party-race.browser.test.ts',
    'packages/cli/test/program.test.ts',
    'packages/cli/test/tls.test.ts',
    'packages/cli/test/usage.test.ts',
    'packages/dashboard/test/actions.browser.test.ts',
    'packages/dashboard/test/functions-log.browser.test.ts',
    'packages/sdk/test/popup.browser.test.ts',
    'packages/sdk/test/voice-devices.browser.test.ts',
    'packages/server/src/capabilities/hosting/single-page-app.browser.test.ts',
    'packages/server/src/capabilities/money/test-pages.browser.test.ts',
    'packages/server/src/capabilities/players/account-model.test.ts',
    'packages/server/src/capabilities/stats/model.test.ts',
    'packages/server/src/engines/cluster/one-owner.test.ts',
    'packages/server/src/engines/redis/sentinel.test.ts',
    'packages/server/test/faults/money-kill.test.ts',
    'packages/server/test/faults/shipped-kill.test.ts',
    'packages/server/test/proof/chaos.test.ts',
  ],
  [
    'packages/cli/test/deploy-failures.test.ts',
    'packages/cli/test/functions-apps.test.ts',
    'packages/cli/test/star-duel-referee.browser.test.ts',
    'packages/dashboard/test/device.browser.test.ts',
    'packages/dashboard/test/players.browser.test.ts',
    'packages/dashboard/test/single-pages.browser.test.ts',
    'packages/sdk/test/p2p.browser.test.ts',
    'packages/sdk/test/voice-network.browser.test.ts',
    'packages/server/src/capabilities/channels/model.test.ts',
    'packages/server/src/capabilities/money/ledger-model.test.ts',
    'packages/server/src/capabilities/news/pages.browser.test.ts',
    'packages/server/src/capabilities/saves/save-model.test.ts',
    'packages/server/src/engines/cards/damaged-files.test.ts',
    'packages/server/test/faults/disk-full.test.ts',
    'packages/server/test/proof/soak.test.ts',
    'packages/server/test/realtime/bans.test.ts',
    'packages/server/test/realtime/matches.test.ts',
    'packages/server/test/realtime/voice-faults.test.ts',
  ],
  [
    'packages/cli/test/functions.test.ts',
    'packages/cli/test/operations.test.ts',
    'packages/cli/test/star-duel-sharing.browser.test.ts',
    'packages/cli/test/star-duel.browser.test.ts',
    'packages/sdk/test/firefox.browser.test.ts',
    'packages/sdk/test/installed.test.ts',
    'packages/sdk/test/kept-session.browser.test.ts',
    'packages/sdk/test/ui.browser.test.ts',
    'packages/server/src/capabilities/developers/sign-up-pages.browser.test.ts',
    'packages/server/src/capabilities/moderation/bans-model.test.ts',
    'packages/server/src/capabilities/money/returns-model.test.ts',
    'packages/server/src/capabilities/players/email/pages.browser.test.ts',
    'packages/server/src/capabilities/rooms/quick-match-model.test.ts',
    'packages/server/src/engines/turn/browsers.test.ts',
    'packages/server/test/dashboard-reads.test.ts',
    'packages/server/test/faults/deploy-kill.test.ts',
    'packages/server/test/faults/fresh-connections.test.ts',
  ],
  [
    'packages/sdk/test/email.browser.test.ts',
    'packages/sdk/test/share.browser.test.ts',
    'packages/sdk/test/voice-full.browser.test.ts',
    'packages/server/src/capabilities/functions/deployments/redeploy.test.ts',
    'packages/server/src/capabilities/rooms/room-model.test.ts',
    'packages/server/src/edge/realtime/websocket/reader-fuzz.test.ts',
    'packages/server/src/engines/functions/workerd/limits/after-work.test.ts',
    'packages/server/src/engines/functions/workerd/limits/cpu-watch.test.ts',
    'packages/server/test/faults/backup-load.test.ts',
    'packages/server/test/faults/functions.test.ts',
    'packages/server/test/faults/nothing-leaks.test.ts',
    'packages/server/test/faults/refresh-rounds.test.ts',
    'packages/server/test/faults/stalled-refreshes.test.ts',
    'packages/server/test/fuzz/frames.test.ts',
    'packages/server/test/realtime/faults.test.ts',
    'packages/server/test/realtime/load.test.ts',
    'packages/server/test/realtime/models.test.ts',
    'packages/server/test/realtime/partition.test.ts',
    'packages/server/test/websocket/differential.test.ts',
  ],
]

export const takesTurns = (file: string): boolean => TURNS.some((list) => list.includes(file))

export function isTurnOfFile(file: string, commit: string): boolean {
  const at = TURNS.findIndex((list) => list.includes(file))
  // Other digits than for the turns in a file: otherwise a list would always meet the same of them.
  return at === -1 || isTurn(commit.slice(8, 16), at, TURNS.length)
}
