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
  TrashIcon,
  UndoIcon,
  WarningIcon,
} from '../../ui/icons.ts'

type Action = { icon: IconType; text: (details: AuditEntry['details']) => string }

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
const versionOf = (details: AuditEntry['details']) =>
  details['version'] === undefined ? '' : ` ${textOf(details['version'])}`

const ACTIONS: Record<string, Action> = {
  'config.push': {
    icon: ConfigIcon,
    text: (details) =>
      `pushed config v${textOf(details['version'])}, ${counted(Number(details['changeCount'] ?? 0), 'change', 'changes')}`,
  },
  'config.restore': {
    icon: ConfigIcon,
    text: (details) => `restored a config as v${textOf(details['version'])}`,
  },
  'player.ban': {
    icon: BanIcon,
    text: (details) => (details['expiresAt'] ? 'banned a player for a time' : 'banned a player'),
  },
  'player.unban': { icon: UndoIcon, text: () => 'lifted a ban' },
  'player.delete': { icon: TrashIcon, text: () => 'deleted a player' },
  'player.export': { icon: DownloadIcon, text: () => 'exported the data of a player' },
  'player.age': { icon: AccountIcon, text: () => 'corrected the age group of a player' },
  'appeal.resolve': {
    icon: ModerationIcon,
    text: (details) =>
      details['accept'] === undefined
        ? 'resolved an appeal'
        : details['accept']
          ? 'accepted an appeal'
          : 'rejected an appeal',
  },
  'deployment.finalize': { icon: HostingIcon, text: (details) => `uploaded version${versionOf(details)}` },
  'deployment.activate': { icon: HostingIcon, text: (details) => `activated version${versionOf(details)}` },
  'key.create': { icon: KeysIcon, text: () => 'created a key' },
  'key.revoke': { icon: KeysIcon, text: () => 'revoked a key' },
  'project.create': { icon: PlusIcon, text: () => 'created the project' },
  'project.rename': { icon: PlusIcon, text: () => 'renamed the project' },
  'deployment.create': {
    icon: HostingIcon,
    text: (details) => `began to upload version${versionOf(details)}`,
  },
  'key.used_in_browser': { icon: WarningIcon, text: () => 'was used in a browser: create a new secret key' },
  'channel.write': { icon: LiveIcon, text: () => 'changed a channel' },
  'channel.delete': { icon: LiveIcon, text: () => 'deleted a channel' },
  'channel.moderate': { icon: ModerationIcon, text: () => 'moderated a channel' },
  'key.relabel': { icon: KeysIcon, text: () => 'changed the label of a key' },
  'player.sign_out': { icon: SignOutIcon, text: () => 'signed a player out' },
  'mails.delete': { icon: TrashIcon, text: () => 'deleted the mails' },
  'stats.write': { icon: LeaderboardsIcon, text: () => 'reported values of a player' },
  'save.write': { icon: EditIcon, text: () => 'changed a save of a player' },
  'save.delete': { icon: TrashIcon, text: () => 'deleted a save of a player' },
  'leaderboard.hide': { icon: LeaderboardsIcon, text: () => 'hid a player on a leaderboard' },
  'leaderboard.show': { icon: LeaderboardsIcon, text: () => 'showed a player on a leaderboard again' },
  'leaderboard.remove': { icon: LeaderboardsIcon, text: () => 'removed a player from a leaderboard' },
  'leaderboard.reset': { icon: LeaderboardsIcon, text: () => 'reset a leaderboard' },
  'functions.enable': { icon: FunctionsIcon, text: () => 'enabled functions' },
  'functions.disable': { icon: FunctionsIcon, text: () => 'disabled functions' },
  'functions.deploy': {
    icon: FunctionsIcon,
    text: (details) => `deployed functions${versionOf(details)}`,
  },
  'functions.limits': { icon: FunctionsIcon, text: () => 'changed the limits of functions' },
  'functions.remove': { icon: FunctionsIcon, text: () => 'removed the functions' },
  'functions.query': { icon: FunctionsIcon, text: () => 'changed rows of a database of functions' },
  'functions.migrate': { icon: FunctionsIcon, text: () => 'migrated a database of functions' },
  'functions.secret_set': { icon: FunctionsIcon, text: () => 'set a secret of functions' },
  'functions.secret_delete': { icon: FunctionsIcon, text: () => 'deleted a secret of functions' },
  'functions.suspend': { icon: WarningIcon, text: () => 'suspended functions' },
  'functions.resume': { icon: FunctionsIcon, text: () => 'resumed functions' },
  'hosting.suspend': { icon: WarningIcon, text: () => 'suspended hosting' },
  'hosting.resume': { icon: HostingIcon, text: () => 'resumed hosting' },
  'voice.suspend': { icon: WarningIcon, text: () => 'suspended voice calls' },
  'voice.resume': { icon: LiveIcon, text: () => 'resumed voice calls' },
  'project.delete': { icon: TrashIcon, text: () => 'deleted the project' },
  'provider.credentials.set': { icon: KeysIcon, text: () => 'set the credentials of a sign-in provider' },
  'provider.credentials.removed': {
    icon: TrashIcon,
    text: () => 'removed the credentials of a sign-in provider',
  },
  'share_link.create': { icon: ShareIcon, text: () => 'created a tracked link' },
}

/** An entry of the audit log as a sentence without its subject. */
export function describe({ action, details }: Pick<AuditEntry, 'action' | 'details'>): {
  icon: IconType
  text: string
} {
  const known = ACTIONS[action]
  return { icon: known?.icon ?? AuditIcon, text: known?.text(details) ?? action }
}
