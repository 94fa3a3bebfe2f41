import type { EnvironmentName } from '@svc/contract/common/schemas'

type Use = 'write' | 'destructive'
type Tool = { name: string; text: string }
/** In production some tools are destructive that are not so in development. */
type Row = readonly [name: string, use: Use | 'destructive in production', text: string]

/** The tools that change something, with what they do. A test compares them with the contract. */
export const TOOL_ROWS: readonly Row[] = [
  ['push_config', 'destructive in production', 'Pushes a config document, which replaces the current one.'],
  ['restore_config_version', 'destructive in production', 'Restores an earlier config.'],
  ['deploy_files', 'write', 'Uploads a version of the hosted app; activates it in development only.'],
  ['activate_deployment', 'destructive in production', 'Makes a version of the hosted app live.'],
  ['deploy_functions', 'destructive in production', 'Deploys code of server functions.'],
  ['run_function_cron', 'write', 'Runs a cron of the functions now, in development only.'],
  ['ban_player', 'destructive in production', 'Bans a player: ends the sessions and rejects sign-ins.'],
  ['unban_player', 'write', 'Lifts the ban of a player.'],
  ['resolve_appeal', 'write', 'Accepts or rejects an appeal.'],
  ['correct_age', 'write', 'Corrects the age group of a player.'],
  ['hide_leaderboard_entry', 'write', 'Hides a player on a leaderboard, or shows the player again.'],
  ['submit_player_stats', 'write', 'Reports values of a player, as your server would.'],
  ['create_tracked_link', 'write', 'Creates a tracked link.'],
  ['test_webhook', 'write', 'Sends a test to your webhook.'],
  ['replay_webhook_delivery', 'write', 'Sends an earlier delivery to your webhook again.'],
  ['delete_player', 'destructive', 'Deletes a player with all data, for good.'],
  ['export_player', 'destructive', 'Reads all personal data of a player.'],
  ['sign_out_player', 'destructive', 'Ends all sessions of a player; a guest cannot come back.'],
  ['write_player_save', 'destructive', 'Overwrites a save of a player.'],
  ['delete_player_save', 'destructive', 'Deletes a save of a player.'],
  ['reset_leaderboard', 'destructive', 'Empties a leaderboard for all players.'],
  ['remove_leaderboard_entry', 'destructive', 'Removes a player from a leaderboard.'],
  ['enable_functions', 'destructive', 'Enables server functions, which may cost credit.'],
  ['disable_functions', 'destructive', 'Disables server functions; code and data stay.'],
  ['remove_functions', 'destructive', 'Removes the code of server functions and, if asked, their data.'],
  ['limit_functions', 'destructive', 'Changes the limits of server functions.'],
  ['query_function_database', 'destructive', 'Runs SQL in a database of the functions.'],
  ['migrate_function_database', 'destructive', 'Migrates a database of the functions.'],
]

/** The tools with this use in an environment. */
export const toolsWith = (use: Use, env: EnvironmentName): Tool[] =>
  TOOL_ROWS.filter(([, ofRow]) => useIn(env, ofRow) === use).map(([name, , text]) => ({ name, text }))

/** What a tool does, in one sentence. */
export const toolText = (name: string): string => TOOL_ROWS.find(([one]) => one === name)?.[2] ?? ''

const useIn = (env: EnvironmentName, use: Row[1]): Use =>
  use === 'destructive in production' ? (env === 'production' ? 'destructive' : 'write') : use
