/**
 * Every error code of the service. HTTP statuses, SDK types and the table in the docs are generated from this list. `error-messages.ts`
 * fills the values of the details into the messages.
 */
export const ERRORS = {
  // the request itself
  invalid_json: { status: 400, message: 'The request body is not valid JSON[: {reason}].' },
  invalid_request: {
    status: 400,
    message: 'The request is invalid.',
  },
  invalid_idempotency_key: {
    status: 400,
    message: 'The Idempotency-Key header must be 1 to 128 letters, digits, “_”, “.”, “:” or “-”.',
  },
  idempotency_key_reused: {
    status: 409,
    message: 'This Idempotency-Key was used for a different request. Use a new one.',
  },
  idempotency_key_in_use: {
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress. Try again shortly.',
  },
  not_found: { status: 404, message: 'Not found. See /docs for all endpoints.' },
  method_not_allowed: {
    status: 405,
    message: 'Method not allowed; the Allow header lists the allowed methods.',
  },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  payload_too_large: { status: 413, message: 'The request body is too large.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  unsupported_content_encoding: {
    status: 415,
    message: 'Send the body uncompressed, without Content-Encoding.',
  },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait for the number of seconds in Retry-After, then try again.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side.[ Include this id when you report it: {requestId}.]',
  },
  service_unavailable: { status: 503, message: 'The service cannot do this right now. Try again shortly.' },

  // callers
  key_required: { status: 401, message: 'Send an API key of the environment in the X-Svc-Key header.' },
  invalid_key: { status: 401, message: 'This key is unknown or was revoked.' },
  secret_key_required: { status: 403, message: 'This call needs a secret key (sk_…) of the environment.' },
  publishable_key_required: { status: 403, message: 'This endpoint accepts only publishable keys (pk_…).' },
  developer_session_required: {
    status: 403,
    message: 'This endpoint requires a developer session; API keys are not accepted.',
  },
  unauthorized: { status: 401, message: 'Sign in first and send the token as Authorization: Bearer …' },
  invalid_token: { status: 401, message: 'This token is invalid or belongs to another environment.' },
  token_expired: { status: 401, message: 'The access token has expired. Refresh it and try again.' },
  origin_not_allowed: {
    status: 403,
    message: 'This origin is not allowed. Add it to web.allowedOrigins in the config and push the config.',
  },
  host_not_allowed: {
    status: 403,
    message:
      'This service answers only programs and pages on its own machine. If it is reached through a proxy, set SVC_BASE_URL to its public URL and SVC_TRUSTED_PROXIES to the number of proxies.',
  },
  feature_disabled: {
    status: 403,
    message:
      'This feature is disabled in this environment.[ Set {configPath} to true in the config to enable it.]',
  },
  feature_unavailable: { status: 403, message: 'The operator of this service does not offer this feature.' },

  // agents
  tool_not_granted: {
    status: 403,
    message:
      'This agent may not use this tool[: {tool}]. A developer grants it by creating an agent with it.',
  },
  approval_required: {
    status: 409,
    message:
      'A developer must approve this call: [open {approvalUrl}, ]then repeat the same call with the same arguments.',
  },
  approval_refused: { status: 403, message: 'A developer has refused this call. Do not repeat it.' },
  approval_not_found: { status: 404, message: 'No such approval, or it has expired.' },
  approval_decided: { status: 409, message: 'This approval was decided already.' },
  authorization_invalid: {
    status: 400,
    message: 'This request of a client cannot be granted[: {reason}]. Start again in the client.',
  },
  agent_not_found: { status: 404, message: 'No such agent, or it was revoked.' },
  too_many_agents: {
    status: 409,
    message: 'This environment has its maximum number of live agents[ ({limit})]. Revoke one first.',
  },

  // developers
  invalid_credentials: { status: 401, message: 'Email or password is wrong.' },
  email_not_confirmed: {
    status: 409,
    message:
      'The project owner must confirm their email address first. The link is in the confirmation email.',
  },
  backup_not_available: {
    status: 409,
    message:
      'With PostgreSQL, backups need pg_dump and pg_restore on this node: apt-get install postgresql-client (Debian).',
  },
  backup_running: { status: 409, message: 'A backup is already running. Wait for it to finish.' },
  operator_required: { status: 403, message: 'Only operators of this service can do this.' },
  sign_up_closed: {
    status: 403,
    message: 'Sign-up is closed on this service. Ask its operator for an invitation.',
  },
  account_has_projects: {
    status: 409,
    message: 'This account still has projects[ ({projects})]. Delete or transfer them first.',
  },
  account_owes: { status: 409, message: 'This account has an unpaid balance. Pay it first.' },
  balance_remaining: {
    status: 409,
    message:
      'This account has prepaid credit[ ({balance} US cents)], which is lost with the account. Send forfeitBalance: true to delete the account anyway.',
  },
  last_operator: {
    status: 409,
    message: 'This is the only operator of the service. Make another account an operator first.',
  },
  email_taken: { status: 409, message: 'An account with this email already exists.' },
  invalid_or_expired_token: {
    status: 400,
    message: 'This link was already used, has expired or is invalid. Request a new one.',
  },
  redirect_url_not_allowed: {
    status: 400,
    message:
      'This redirectUrl is not allowed. Add it to auth.redirectUrls in the config and push the config.',
  },
  provider_disabled: {
    status: 404,
    message: 'This sign-in provider is not enabled. Enable it in auth.providers of the config.',
  },
  provider_not_configured: {
    status: 409,
    message:
      'This provider is enabled, but has no credentials. Add them with svc providers set, or in the dashboard under Config.',
  },
  invalid_code: {
    status: 400,
    message: 'This code was already used, has expired or is invalid, or the verifier does not match.',
  },
  identity_already_linked: {
    status: 409,
    message:
      'This identity is linked to another account, or this account already has an identity from this provider.',
  },
  identity_not_found: { status: 404, message: 'The account has no such sign-in method.' },
  last_login_method: {
    status: 409,
    message: 'This is the account’s only sign-in method; add another one first.',
  },
  reauth_required: { status: 401, message: 'Confirm your identity: send the password or a reauthToken.' },
  invalid_invite_code: { status: 400, message: 'This invite code does not exist or is no longer valid.' },
  invite_code_used: { status: 409, message: 'This invite code has already been used.' },
  invite_limit_reached: { status: 409, message: 'This invite code has been used up.' },
  already_redeemed: { status: 409, message: 'This account has already redeemed an invite code.' },

  // money
  invalid_amount: {
    status: 400,
    message: 'The amount must be a whole number of US cents from 500 to 1,000,000.',
  },
  invalid_signature: { status: 400, message: 'The signature of this event is missing, wrong or too old.' },
  checkout_not_found: { status: 404, message: 'This account has no such checkout.' },
  prepaid_required: { status: 402, message: 'This requires prepaid credit. Top up your balance first.' },

  // players and sessions
  no_email: { status: 409, message: 'This player has no email.' },
  invalid_refresh_token: {
    status: 401,
    message: 'This refresh token is unknown or has expired. Sign in again.',
  },
  session_revoked: {
    status: 401,
    message: 'This session has ended[ ({reason})]. Sign in again.',
  },
  refresh_race: {
    status: 409,
    message:
      'This refresh token was just used elsewhere. Read the stored session again; do not send this token again.',
  },
  player_banned: {
    status: 403,
    message: 'This player is banned[: {note}].[ Appeal with the sanction {sanctionId}.]',
  },
  invalid_id_token: {
    status: 401,
    message: 'This ID token is not valid for this provider and app.',
  },
  x_signin_unavailable: {
    status: 402,
    message: 'Sign-in with X is not available right now. Continue as a guest.',
  },
  'client-not-enrolled': {
    status: 403,
    message: 'The provider[ {provider}] does not accept this app.',
  },
  player_not_found: { status: 404, message: 'Player not found in this environment.' },
  sanction_not_found: { status: 404, message: 'This player has no such ban.' },
  ban_not_active: { status: 409, message: 'This ban has ended.' },
  appeal_exists: { status: 409, message: 'This ban has already been appealed.' },
  appeal_not_found: { status: 404, message: 'There is no such appeal.' },
  appeal_already_resolved: {
    status: 409,
    message: 'This appeal is already resolved; the decision is final.',
  },
  age_change_not_allowed: { status: 403, message: 'The age group can only be changed to a stricter one.' },
  share_images_disabled: {
    status: 404,
    message: 'share.images is off. Set share.images.enabled to true in the config, and push the config.',
  },
  share_tags_disabled: { status: 404, message: 'Card tags need an image: share.tags.image or share.images.' },
  share_links_disabled: {
    status: 404,
    message: 'share.links is off. Set share.links.enabled to true in the config, and push the config.',
  },
  share_tracking_disabled: {
    status: 404,
    message: 'share.tracking is off. Set share.tracking.enabled to true in the config, and push the config.',
  },
  share_inAppBrowser_disabled: {
    status: 404,
    message:
      'share.inAppBrowser is off. Set share.inAppBrowser.enabled to true in the config, and push the config.',
  },
  share_link_not_found: { status: 404, message: 'There is no such share link.' },
  too_many_links: {
    status: 409,
    message: 'This environment has reached its maximum number of tracked links[ ({limit})].',
  },
  range_too_long: {
    status: 400,
    message: 'The time range is too long[; the maximum is {limit} days].',
  },
  x_profile_not_found: { status: 404, message: 'This player has not linked an X account.' },
  age_restricted: { status: 403, message: 'This is not available for the player’s age group.' },

  // game data
  save_not_found: {
    status: 404,
    message: 'There is no save with this key. List the player’s saves, or write one first.',
  },
  version_conflict: {
    status: 409,
    message: 'The save was changed since it was read[; its version is now {currentVersion}].',
  },
  too_many_saves: {
    status: 409,
    message: 'This player has reached the maximum number of saves[ ({limit})].',
  },
  save_too_large: {
    status: 413,
    message: 'The save is too large[; the maximum is {limit} bytes].',
  },
  leaderboard_not_found: {
    status: 404,
    message:
      'There is no leaderboard with this key. Add “leaderboard” to the stat in the config, and push the config.',
  },
  too_many_stats: { status: 400, message: 'Report at most 64 stats at once.' },
  delivery_not_found: {
    status: 404,
    message: 'No such delivery, or its request is no longer stored.',
  },
  webhook_not_configured: {
    status: 409,
    message:
      'This environment has no webhook. Set integrity.stats.webhook.url in the config and push the config.',
  },

  // realtime
  upgrade_required: { status: 426, message: 'This endpoint requires a WebSocket connection.' },
  unknown_type: { status: 400, message: 'Unknown frame type[: {t}].' },
  invalid_frame: {
    status: 400,
    message: 'A frame must be one JSON object in a text message[: {reason}].',
  },
  player_required: { status: 401, message: 'This requires a signed-in player; the connection is anonymous.' },
  replaced: {
    status: 409,
    message: 'This player connected again elsewhere; the newer connection replaced this one.',
  },
  idle: { status: 408, message: 'The connection was idle for too long.' },
  too_many_event_streams: {
    status: 429,
    message: 'This session already has the maximum number of event streams[ ({limit})]. Close one first.',
  },
  slow_consumer: { status: 429, message: 'This connection reads too slowly.' },
  server_restarting: { status: 503, message: 'The server is restarting. Reconnect and resume.' },
  mode_not_found: { status: 404, message: 'There is no such mode. Check multiplayer.modes in the config.' },
  room_not_found: {
    status: 404,
    message: 'No open room has this code. It may have closed, or the code is mistyped.',
  },
  room_full: { status: 409, message: 'This room is full. Join another one.' },
  room_locked: { status: 409, message: 'The host has locked this room. Join another one.' },
  already_in_room: { status: 409, message: 'This player is already in a room. Leave it first.' },
  not_in_room: { status: 409, message: 'You are not, or no longer, in a room, so nothing was sent.' },
  code_taken: {
    status: 409,
    message: 'Another open room already has this code. Choose another code, or none.',
  },
  party_too_large: { status: 400, message: 'partySize cannot be larger than the mode’s maxPlayers.' },
  already_queued: { status: 409, message: 'This player is already waiting for a match. Cancel that first.' },
  host_only: { status: 403, message: 'Only the host can do this.' },
  state_too_large: {
    status: 413,
    message: 'The state would become too large[; the maximum is {limit} bytes].',
  },
  not_p2p_room: { status: 409, message: 'This is not a peer-to-peer room.' },
  player_not_in_room: { status: 404, message: 'That player is not in this room.' },
  p2p_room_full: { status: 409, message: 'This peer-to-peer room is full.' },
  development_only: {
    status: 403,
    message: 'This works only in the development environment.',
  },
  mode_unavailable: {
    status: 503,
    message:
      'The live functions have no class for this mode. Deploy functions that export the class in modes[].room.class.',
  },
  join_refused: {
    status: 403,
    message: 'The room refused this player[: {reason}].',
  },
  room_decides: {
    status: 409,
    message: 'Only the room’s own code changes its state or locks it. Send it a message.',
  },
  room_busy: {
    status: 429,
    message: 'The room is not keeping up with its messages. Send fewer, or try again shortly.',
  },
  too_many_rooms: {
    status: 409,
    message: 'This player has seats in the maximum number of kept rooms[ ({limit})]. Leave one first.',
  },
  room_error: {
    status: 500,
    message: 'The room’s code threw an error. Its stack is in the log of the functions.',
  },
  room_failed: {
    status: 502,
    message: 'The room could not start. The error of its code is in the log of the functions.',
  },
  turn_unavailable: {
    status: 503,
    message:
      'No TURN relay is available, and these players may only connect through one. Check the TURN settings.',
  },
  invalid_channel_name: {
    status: 400,
    message:
      'A channel name has 1 to 64 characters of a-z 0-9 _ . : -; channels created by a server or an owner start with @.',
  },
  channel_not_found: {
    status: 404,
    message:
      'There is no such channel, or it has closed. Create it first; names without @ are created by their first member.',
  },
  channel_exists: { status: 409, message: 'A channel with this name already exists.' },
  channel_forbidden: { status: 403, message: 'Only invited players can join this channel.' },
  channel_banned: { status: 403, message: 'This player is banned from this channel.' },
  channel_full: { status: 409, message: 'This channel is full.' },
  too_many_channels: { status: 409, message: 'A connection can be in at most 8 channels.' },
  not_in_channel: { status: 409, message: 'This connection is not in this channel.' },
  muted: {
    status: 403,
    message: 'This player is muted in this channel.',
  },
  send_forbidden: { status: 403, message: 'You cannot send in this channel.' },
  owner_only: { status: 403, message: 'Only the owner of this channel can do this.' },
  voice_too_large: { status: 400, message: 'A voice call can have at most 100 participants.' },
  voice_disabled: {
    status: 409,
    message:
      'This channel was created without voice. Create it with voice: true, or enable voice for it from your server.',
  },
  voice_suspended: { status: 403, message: 'Voice calls of this project are suspended.' },
  voice_unavailable: {
    status: 503,
    message: 'Voice calls are not available at the moment. Try again shortly.',
  },
  voice_in_use: { status: 409, message: 'A call is active; voice settings cannot be changed until it ends.' },

  // projects, keys, config
  project_not_found: { status: 404, message: 'There is no such project, or you are not a member of it.' },
  role_required: {
    status: 403,
    message:
      'Your role in this project[, {role},] does not allow this[; it needs {requiredRole}]. Ask an admin or the owner of the project.',
  },
  environment_not_found: {
    status: 404,
    message: 'The environment must be development (dev) or production (prod).',
  },
  member_not_found: { status: 404, message: 'This project has no such member.' },
  member_exists: { status: 409, message: 'The account with this email address is already in this project.' },
  too_many_members: {
    status: 409,
    message: 'This project has reached its maximum number of members[ ({limit})]. Remove one first.',
  },
  too_many_invitations: {
    status: 409,
    message: 'This project has reached its maximum number of open invitations[ ({limit})]. Revoke one first.',
  },
  invitation_not_found: { status: 404, message: 'This project has no such open invitation.' },
  invitation_for_other_address: {
    status: 403,
    message: 'This invitation is for another email address.[ Sign in as {email}.]',
  },
  confirmed_email_required: {
    status: 403,
    message: 'Confirm your email address first. The link is in the confirmation email.',
  },
  owner_stays: {
    status: 409,
    message: 'The owner cannot leave, be removed or get another role. Transfer the project first.',
  },
  own_membership: {
    status: 409,
    message: 'You cannot change or remove your own role. Ask another admin, or leave the project.',
  },
  admin_required: {
    status: 409,
    message: 'Only an admin of the project can become its owner. Make the member an admin first.',
  },
  transfer_not_found: { status: 404, message: 'No transfer of this project is offered to you or by you.' },
  transfer_blocked: {
    status: 409,
    message:
      'A project cannot be transferred while the owner or the new owner has an unpaid balance[ (here: {account})].',
  },
  key_not_found: { status: 404, message: 'There is no such key.' },
  name_reserved: {
    status: 400,
    message: 'This name could be mistaken for the service or its staff. Choose another.',
  },
  too_many_projects: { status: 409, message: 'This account has reached its maximum number of projects.' },
  too_many_keys: {
    status: 409,
    message: 'This environment has reached its maximum number of active keys. Revoke one first.',
  },
  invalid_config: {
    status: 400,
    message: 'The config document has problems[: {errors}]. Nothing was changed.',
  },
  config_version_not_found: { status: 404, message: 'Config version not found.' },

  // hosting
  invalid_path: {
    status: 400,
    message: 'A file cannot be served at this path[: {errors}].',
  },
  hash_mismatch: {
    status: 400,
    message: 'The SHA-256 of the uploaded bytes does not match the URL.',
  },
  blob_too_large: {
    status: 413,
    message: 'The file is too large[; the maximum is {limit} bytes].',
  },
  deployment_not_found: { status: 404, message: 'There is no such deployment in this environment.' },
  blobs_missing: {
    status: 409,
    message: 'Files of this deployment have not been uploaded[; their SHA-256: {missing}].',
  },
  size_mismatch: {
    status: 400,
    message: 'File sizes do not match the deployment[: {errors}].',
  },
  not_finalized: { status: 409, message: 'Finalize this deployment before you activate it.' },

  // functions
  functions_disabled: {
    status: 409,
    message: 'Functions are not enabled in this environment. Enable them with: svc functions deploy.',
  },
  functions_suspended: { status: 503, message: 'The functions of this app are suspended.' },
  functions_overloaded: {
    status: 503,
    message: 'Too many functions are running at the moment. Try again shortly.',
  },
  functions_unavailable: { status: 503, message: 'This function cannot start right now. Try again shortly.' },
  invalid_deployment: {
    status: 400,
    message: 'The deployment has problems[: {errors}]. Nothing was changed.',
  },
  secret_not_found: { status: 404, message: 'There is no such secret.' },
  too_many_secrets: {
    status: 409,
    message: 'This environment has reached its maximum number of secrets[ ({limit})].',
  },
  binding_not_found: { status: 404, message: 'There is no such database binding.' },
  cron_not_found: { status: 404, message: 'The live version has no such cron.' },
  sql_error: { status: 400, message: 'SQLite rejected the statement[: {reason}].' },
  result_too_large: {
    status: 413,
    message: 'The result has more than 10,000 rows or 1 MiB. Narrow your query. Nothing was changed.',
  },
  cpu_limit_exceeded: {
    status: 503,
    message: 'The function used more CPU time than its limit (cpuMs) allows.',
  },
  memory_limit_exceeded: { status: 503, message: 'The function used more memory than is allowed.' },
  function_restarted: {
    status: 503,
    message: 'The function was restarted while it handled this request. Try again.',
  },
  function_failed: { status: 502, message: 'The function ended without a response.' },
  function_timeout: { status: 504, message: 'The function did not respond within 60 seconds.' },
} as const satisfies Record<string, { status: number; message: string }>

/** A machine-readable error code; codes are never renamed. */
export type ErrorCode = keyof typeof ERRORS
