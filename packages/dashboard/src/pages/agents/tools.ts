import type { EnvironmentName } from '@svc/contract/common/schemas'

type Use = 'write' | 'destructive'
type Tool = { name: string; text: string }
/** In production some tools are destructive that are not so in development. */
type Row = readonly [name: string, use: Use | 'destructive in production', text: string]

/** The tools that change something, with what they do. A test compares them with the contract. */
export const TOOL_ROWS: readonly Row[] = [
  ['push_config', 'destructive in production', 'Pushes a config document, which replaces the current one.'],
  ['restore_config_version', 'destructive in production', 'Restores an earlier config version.'],
  ['deploy_files', 'write', 'Uploads a hosted app version; activates it in development only.'],
  ['activate_deployment', 'destructive in production', 'Makes a hosted app version live.'],
  ['deploy_functions', 'destructive in production', 'Deploys server functions.'],
  ['run_function_cron', 'write', 'Runs a functions cron job now, in development only.'],
  ['ban_player', 'destructive in production', 'Bans a player: ends their sessions and blocks sign-in.'],
  ['ban_player_for_time', 'destructive in production', 'Bans a player for some hours.'],
  ['unban_player', 'write', 'Lifts a player’s ban.'],
  ['resolve_appeal', 'write', 'Accepts or rejects an appeal.'],
  ['correct_age', 'write', 'Corrects a player’s age group.'],
  ['hide_leaderboard_entry', 'write', 'Hides a player on a leaderboard, or shows them again.'],
  ['submit_player_stats', 'write', 'Reports a player’s values, as your server would.'],
  ['create_tracked_link', 'write', 'Creates a tracked link.'],
  ['test_webhook', 'write', 'Sends a test request to your webhook.'],
  ['replay_webhook_delivery', 'write', 'Resends an earlier webhook delivery.'],
  ['delete_player', 'destructive', 'Permanently deletes a player and all their data.'],
  ['export_player', 'destructive', 'Reads all of a player’s personal data, with their email address.'],
  ['sign_out_player', 'destructive', 'Signs a player out everywhere; a guest cannot come back.'],
  ['write_player_save', 'destructive', 'Overwrites a player’s save.'],
  ['delete_player_save', 'destructive', 'Deletes a player’s save.'],
  ['reset_leaderboard', 'destructive', 'Resets a leaderboard for all players.'],
  ['remove_leaderboard_entry', 'destructive', 'Removes a player from a leaderboard.'],
  ['enable_functions', 'destructive', 'Enables server functions, which can cost credit.'],
  ['disable_functions', 'destructive', 'Disables server functions; code and data are kept.'],
  ['remove_functions', 'destructive', 'Removes server functions and, if requested, their data.'],
  ['limit_functions', 'destructive', 'Changes server function limits.'],
  [
    'query_function_database',
    'destructive',
    'Runs SQL in a functions database: reads and changes everything in it.',
  ],
  ['migrate_function_database', 'destructive', 'Migrates a functions database.'],
]

/** The tools with this use in an environment. */
export const toolsWith = (use: Use, env: EnvironmentName): Tool[] =>
  TOOL_ROWS.filter(([, ofRow]) => useIn(env, ofRow) === use).map(([name, , text]) => ({ name, text }))

/** What a tool does, in one sentence. */
export const toolText = (name: string): string => TOOL_ROWS.find(([one]) => one === name)?.[2] ?? ''

const useIn = (env: EnvironmentName, use: Row[1]): Use =>
  use === 'destructive in production' ? (env === 'production' ? 'destructive' : 'write') : use
