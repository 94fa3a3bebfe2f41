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
import {
  agent,
  board,
  type Change,
  channel,
  configVersion,
  database,
  functionsVersion,
  key,
  link,
  mails,
  member,
  player,
  provider,
  quoted,
  room,
  secret,
  type Sentence,
  sentence,
  textOf,
  version,
} from './things.ts'

type Action = readonly [icon: IconType, words: string | ((change: Change) => Sentence)]

const agentOf = ({ details }: Change) => agent(details['agent'])
const roleIn = ({ details }: Change) => (details['role'] ? ` as ${textOf(details['role'])}` : '')
const ofPlayer =
  (begin: string, end = '') =>
  (change: Change) =>
    sentence`${begin} ${player(change.target)}${end}`
const onBoard =
  (begin: string, middle: string, end = '') =>
  (change: Change) =>
    sentence`${begin} ${player(change.target)} ${middle} ${board(change.details['key'])}${end}`
const of =
  (begin: string, thing: (change: Change) => Sentence[number], end = '') =>
  (change: Change) =>
    sentence`${begin} ${thing(change)}${end}`

const ACTIONS: Record<string, Action> = {
  'config.push': [
    ConfigIcon,
    (change) => {
      const changes = counted(Number(change.details['changeCount'] ?? 0), 'change', 'changes')
      return sentence`pushed ${configVersion(change)}, ${changes}`
    },
  ],
  'config.restore': [
    ConfigIcon,
    (change) => {
      const restored = textOf(change.details['restoredVersion'])
      return sentence`restored ${restored && `v${restored} as `}${configVersion(change)}`
    },
  ],
  'player.ban': [
    BanIcon,
    ({ target, details }) =>
      sentence`${details['expiresAt'] ? 'temporarily banned' : 'banned'} ${player(target)}`,
  ],
  'player.unban': [UndoIcon, ofPlayer('lifted the ban of')],
  'player.delete': [TrashIcon, ofPlayer('deleted')],
  'player.export': [DownloadIcon, ofPlayer('exported all data of')],
  'player.age': [
    AccountIcon,
    ({ target, details }) =>
      sentence`corrected the age group of ${player(target)}${details['band'] ? ` to ${textOf(details['band'])}` : ''}`,
  ],
  'appeal.resolve': [
    ModerationIcon,
    ({ details: { status, playerId } }) =>
      sentence`${textOf(status) || 'resolved'} the appeal of ${player(playerId)}`,
  ],
  'deployment.create': [HostingIcon, of('started uploading', version)],
  'deployment.finalize': [HostingIcon, of('uploaded', version)],
  'deployment.activate': [HostingIcon, of('activated', version)],
  'key.create': [KeysIcon, of('created', key)],
  'key.revoke': [KeysIcon, of('revoked', key)],
  'key.relabel': [KeysIcon, of('relabeled', key)],
  'key.used_in_browser': [WarningIcon, of('saw', key, ' in a browser: replace this secret key')],
  'project.create': [PlusIcon, 'created the project'],
  'project.rename': [
    EditIcon,
    ({ details }) =>
      sentence`renamed the project${details['after'] ? ' to ' : ''}${quoted(details['after'])}`,
  ],
  'project.delete': [TrashIcon, 'deleted the project'],
  'channel.write': [LiveIcon, of('changed', channel)],
  'channel.delete': [LiveIcon, of('deleted', channel)],
  'channel.moderate': [ModerationIcon, of('moderated', channel)],
  'room.open': [LiveIcon, of('opened', room)],
  'room.message': [LiveIcon, of('sent a message to the code of', room)],
  'room.close': [LiveIcon, of('closed', room)],
  'room.state_read': [
    LiveIcon,
    (change) => {
      const { reason } = change.details
      return sentence`looked into ${room(change)}${reason ? ': ' : ''}${quoted(reason)}`
    },
  ],
  'player.sign_out': [SignOutIcon, ofPlayer('signed', ' out')],
  'mails.delete': [TrashIcon, of('deleted', mails)],
  'stats.write': [LeaderboardsIcon, ofPlayer('reported values of')],
  'save.write': [EditIcon, ofPlayer('changed a save of')],
  'save.delete': [TrashIcon, ofPlayer('deleted a save of')],
  'leaderboard.hide': [LeaderboardsIcon, onBoard('hid', 'on')],
  'leaderboard.show': [LeaderboardsIcon, onBoard('showed', 'on', ' again')],
  'leaderboard.remove': [LeaderboardsIcon, onBoard('removed', 'from')],
  'leaderboard.reset': [LeaderboardsIcon, ({ target }) => sentence`reset ${board(target)}`],
  'functions.enable': [FunctionsIcon, 'enabled functions'],
  'functions.disable': [FunctionsIcon, 'disabled functions'],
  'functions.deploy': [FunctionsIcon, of('deployed', functionsVersion)],
  'functions.limits': [FunctionsIcon, 'changed function limits'],
  'functions.remove': [FunctionsIcon, 'removed functions'],
  'functions.query': [FunctionsIcon, of('changed rows in', database)],
  'functions.migrate': [FunctionsIcon, of('migrated', database)],
  'functions.secret_set': [FunctionsIcon, of('set', secret)],
  'functions.secret_delete': [FunctionsIcon, of('deleted', secret)],
  'functions.suspend': [WarningIcon, 'suspended functions'],
  'functions.resume': [FunctionsIcon, 'resumed functions'],
  'hosting.suspend': [WarningIcon, 'suspended hosting'],
  'hosting.resume': [HostingIcon, 'resumed hosting'],
  'voice.suspend': [WarningIcon, 'suspended voice calls'],
  'voice.resume': [LiveIcon, 'resumed voice calls'],
  'provider.credentials.set': [KeysIcon, of('set the credentials of', provider)],
  'provider.credentials.removed': [TrashIcon, of('removed the credentials of', provider)],
  'member.invite': [TeamIcon, (change) => sentence`invited ${member(change)}${roleIn(change)}`],
  'member.uninvite': [TeamIcon, of('revoked the invitation for', member)],
  'member.join': [TeamIcon, (change) => sentence`joined${roleIn(change)}`],
  'member.role': [
    TeamIcon,
    (change) => {
      const { before, after } = change.details
      return sentence`changed ${member(change)} from ${textOf(before)} to ${textOf(after)}`
    },
  ],
  'member.remove': [TeamIcon, of('removed', member)],
  'member.leave': [TeamIcon, 'left the project'],
  'transfer.offer': [TeamIcon, of('offered the project to', member)],
  'transfer.withdraw': [TeamIcon, 'withdrew the project transfer'],
  'transfer.decline': [TeamIcon, 'declined the project transfer'],
  'transfer.accept': [TeamIcon, 'became the project owner'],
  'agent.create': [AgentsIcon, ({ target, details }) => sentence`created ${agent(target, details['label'])}`],
  'agent.revoke': [AgentsIcon, ({ target, details }) => sentence`revoked ${agent(target, details['label'])}`],
  'approval.approve': [
    AgentsIcon,
    (change) => sentence`approved ${textOf(change.details['tool'])} of ${agentOf(change)}`,
  ],
  'approval.refuse': [
    AgentsIcon,
    (change) => sentence`refused ${textOf(change.details['tool'])} of ${agentOf(change)}`,
  ],
  'share_link.create': [ShareIcon, of('created', link)],
}

/** An entry of the audit log as a sentence without its subject. */
export function describe(change: Change): { icon: IconType; sentence: Sentence } {
  const [icon, words] = ACTIONS[change.action] ?? [AuditIcon, change.action]
  return { icon, sentence: typeof words === 'string' ? [words] : words(change) }
}
