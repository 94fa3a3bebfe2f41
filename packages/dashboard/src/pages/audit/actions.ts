import type { AuditEntry } from '@svc/contract/audit'

import { counted } from '../../format.ts'
import {
  AccountIcon,
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
    (details) => (details['expiresAt'] ? 'banned a player for a time' : 'banned a player'),
  ],
  'player.unban': [UndoIcon, 'lifted a ban'],
  'player.delete': [TrashIcon, 'deleted a player'],
  'player.export': [DownloadIcon, 'exported the data of a player'],
  'player.age': [AccountIcon, 'corrected the age group of a player'],
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
  'deployment.create': [HostingIcon, (details) => `began to upload version${versionOf(details)}`],
  'key.used_in_browser': [WarningIcon, 'was used in a browser: create a new secret key'],
  'channel.write': [LiveIcon, 'changed a channel'],
  'channel.delete': [LiveIcon, 'deleted a channel'],
  'channel.moderate': [ModerationIcon, 'moderated a channel'],
  'key.relabel': [KeysIcon, 'changed the label of a key'],
  'player.sign_out': [SignOutIcon, 'signed a player out'],
  'mails.delete': [TrashIcon, 'deleted the mails'],
  'stats.write': [LeaderboardsIcon, 'reported values of a player'],
  'save.write': [EditIcon, 'changed a save of a player'],
  'save.delete': [TrashIcon, 'deleted a save of a player'],
  'leaderboard.hide': [LeaderboardsIcon, 'hid a player on a leaderboard'],
  'leaderboard.show': [LeaderboardsIcon, 'showed a player on a leaderboard again'],
  'leaderboard.remove': [LeaderboardsIcon, 'removed a player from a leaderboard'],
  'leaderboard.reset': [LeaderboardsIcon, 'reset a leaderboard'],
  'functions.enable': [FunctionsIcon, 'enabled functions'],
  'functions.disable': [FunctionsIcon, 'disabled functions'],
  'functions.deploy': [FunctionsIcon, (details) => `deployed functions${versionOf(details)}`],
  'functions.limits': [FunctionsIcon, 'changed the limits of functions'],
  'functions.remove': [FunctionsIcon, 'removed the functions'],
  'functions.query': [FunctionsIcon, 'changed rows of a database of functions'],
  'functions.migrate': [FunctionsIcon, 'migrated a database of functions'],
  'functions.secret_set': [FunctionsIcon, 'set a secret of functions'],
  'functions.secret_delete': [FunctionsIcon, 'deleted a secret of functions'],
  'functions.suspend': [WarningIcon, 'suspended functions'],
  'functions.resume': [FunctionsIcon, 'resumed functions'],
  'hosting.suspend': [WarningIcon, 'suspended hosting'],
  'hosting.resume': [HostingIcon, 'resumed hosting'],
  'voice.suspend': [WarningIcon, 'suspended voice calls'],
  'voice.resume': [LiveIcon, 'resumed voice calls'],
  'project.delete': [TrashIcon, 'deleted the project'],
  'provider.credentials.set': [KeysIcon, 'set the credentials of a sign-in provider'],
  'provider.credentials.removed': [TrashIcon, 'removed the credentials of a sign-in provider'],
  'member.invite': [
    TeamIcon,
    (details) => `invited ${textOf(details['email'])} as ${textOf(details['role'])}`,
  ],
  'member.uninvite': [TeamIcon, (details) => `revoked the invitation of ${textOf(details['email'])}`],
  'member.join': [TeamIcon, (details) => `joined as ${textOf(details['role'])}`],
  'member.role': [
    TeamIcon,
    ({ email, before, after }) =>
      `changed the role of ${textOf(email)} from ${textOf(before)} to ${textOf(after)}`,
  ],
  'member.remove': [TeamIcon, 'removed a member'],
  'member.leave': [TeamIcon, 'left the project'],
  'transfer.offer': [TeamIcon, (details) => `offered the project to ${textOf(details['email'])}`],
  'transfer.withdraw': [TeamIcon, 'withdrew the offer of the project'],
  'transfer.decline': [TeamIcon, 'declined the project'],
  'transfer.accept': [TeamIcon, 'became the owner of the project'],
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
