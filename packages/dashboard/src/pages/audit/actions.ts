import type { AuditEntry } from '@svc/contract/audit'

import { counted } from '../../format.ts'
import {
  AccountIcon,
  AgentsIcon,
  AuditIcon,
  BanIcon,
  ConfigIcon,
  DownloadIcon,
  EditIcon,
  FunctionsIcon,
  HostingIcon,
  type IconType,
  KeysIcon,
  LeaderboardsIcon,
  LiveIcon,
  ModerationIcon,
  PlusIcon,
  ShareIcon,
  SignOutIcon,
  TeamIcon,
  TrashIcon,
  UndoIcon,
  WarningIcon,
} from '../../ui/icons.ts'

type Details = AuditEntry['details']
type Action = readonly [icon: IconType, text: string | ((details: Details) => string)]

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
const versionOf = (details: Details) =>
  details['version'] === undefined ? '' : ` ${textOf(details['version'])}`

const ACTIONS: Record<string, Action> = {
  'config.push': [
    ConfigIcon,
    (details) =>
      `pushed config v${textOf(details['version'])}, ${counted(Number(details['changeCount'] ?? 0), 'change', 'changes')}`,
  ],
  'config.restore': [ConfigIcon, (details) => `restored a config as v${textOf(details['version'])}`],
  'player.ban': [
    BanIcon,
    (details) => (details['expiresAt'] ? 'temporarily banned a player' : 'banned a player'),
  ],
  'player.unban': [UndoIcon, 'lifted a ban'],
  'player.delete': [TrashIcon, 'deleted a player'],
  'player.export': [DownloadIcon, 'exported a player’s data'],
  'player.age': [AccountIcon, 'corrected a player’s age group'],
  'appeal.resolve': [
    ModerationIcon,
    (details) =>
      details['accept'] === undefined
        ? 'resolved an appeal'
        : details['accept']
          ? 'accepted an appeal'
          : 'rejected an appeal',
  ],
  'deployment.finalize': [HostingIcon, (details) => `uploaded version${versionOf(details)}`],
  'deployment.activate': [HostingIcon, (details) => `activated version${versionOf(details)}`],
  'key.create': [KeysIcon, 'created a key'],
  'key.revoke': [KeysIcon, 'revoked a key'],
  'project.create': [PlusIcon, 'created the project'],
  'project.rename': [PlusIcon, 'renamed the project'],
  'deployment.create': [HostingIcon, (details) => `started uploading version${versionOf(details)}`],
  'key.used_in_browser': [WarningIcon, 'was used in a browser: replace this secret key'],
  'channel.write': [LiveIcon, 'changed a channel'],
  'channel.delete': [LiveIcon, 'deleted a channel'],
  'channel.moderate': [ModerationIcon, 'moderated a channel'],
  'room.open': [LiveIcon, 'opened a room'],
  'room.message': [LiveIcon, 'sent a message to the code of a room'],
  'room.close': [LiveIcon, 'closed a room'],
  'room.state_read': [
    LiveIcon,
    (details) => `looked into a room${details['reason'] ? `: ${textOf(details['reason'])}` : ''}`,
  ],
  'key.relabel': [KeysIcon, 'relabeled a key'],
  'player.sign_out': [SignOutIcon, 'signed a player out'],
  'mails.delete': [TrashIcon, 'deleted emails'],
  'stats.write': [LeaderboardsIcon, 'reported a player’s values'],
  'save.write': [EditIcon, 'changed a player’s save'],
  'save.delete': [TrashIcon, 'deleted a player’s save'],
  'leaderboard.hide': [LeaderboardsIcon, 'hid a player on a leaderboard'],
  'leaderboard.show': [LeaderboardsIcon, 'showed a player on a leaderboard again'],
  'leaderboard.remove': [LeaderboardsIcon, 'removed a player from a leaderboard'],
  'leaderboard.reset': [LeaderboardsIcon, 'reset a leaderboard'],
  'functions.enable': [FunctionsIcon, 'enabled functions'],
  'functions.disable': [FunctionsIcon, 'disabled functions'],
  'functions.deploy': [FunctionsIcon, (details) => `deployed functions${versionOf(details)}`],
  'functions.limits': [FunctionsIcon, 'changed function limits'],
  'functions.remove': [FunctionsIcon, 'removed functions'],
  'functions.query': [FunctionsIcon, 'changed rows in a functions database'],
  'functions.migrate': [FunctionsIcon, 'migrated a functions database'],
  'functions.secret_set': [FunctionsIcon, 'set a functions secret'],
  'functions.secret_delete': [FunctionsIcon, 'deleted a functions secret'],
  'functions.suspend': [WarningIcon, 'suspended functions'],
  'functions.resume': [FunctionsIcon, 'resumed functions'],
  'hosting.suspend': [WarningIcon, 'suspended hosting'],
  'hosting.resume': [HostingIcon, 'resumed hosting'],
  'voice.suspend': [WarningIcon, 'suspended voice calls'],
  'voice.resume': [LiveIcon, 'resumed voice calls'],
  'project.delete': [TrashIcon, 'deleted the project'],
  'provider.credentials.set': [KeysIcon, 'set sign-in provider credentials'],
  'provider.credentials.removed': [TrashIcon, 'removed sign-in provider credentials'],
  'member.invite': [
    TeamIcon,
    (details) => `invited ${textOf(details['email'])} as ${textOf(details['role'])}`,
  ],
  'member.uninvite': [TeamIcon, (details) => `revoked the invitation for ${textOf(details['email'])}`],
  'member.join': [TeamIcon, (details) => `joined as ${textOf(details['role'])}`],
  'member.role': [
    TeamIcon,
    ({ email, before, after }) => `changed ${textOf(email)} from ${textOf(before)} to ${textOf(after)}`,
  ],
  'member.remove': [TeamIcon, 'removed a member'],
  'member.leave': [TeamIcon, 'left the project'],
  'transfer.offer': [TeamIcon, (details) => `offered the project to ${textOf(details['email'])}`],
  'transfer.withdraw': [TeamIcon, 'withdrew the project transfer'],
  'transfer.decline': [TeamIcon, 'declined the project transfer'],
  'transfer.accept': [TeamIcon, 'became the project owner'],
  'agent.create': [AgentsIcon, 'created an agent'],
  'agent.revoke': [AgentsIcon, 'revoked an agent'],
  'approval.approve': [AgentsIcon, (details) => `approved an agent’s ${textOf(details['tool'])}`],
  'approval.refuse': [AgentsIcon, (details) => `refused an agent’s ${textOf(details['tool'])}`],
  'share_link.create': [ShareIcon, 'created a tracked link'],
}

/** An entry of the audit log as a sentence without its subject. */
export function describe({ action, details }: Pick<AuditEntry, 'action' | 'details'>): {
  icon: IconType
  text: string
} {
  const [icon, text] = ACTIONS[action] ?? [AuditIcon, action]
  return { icon, text: typeof text === 'string' ? text : text(details) }
}
