import type { Source } from './source-text.ts'

/**
 * Files that may calculate with the time of day although they arm timers or keep moments in memory, and the date that they need it for:
 * one that people see, that is stored, or that nodes compare.
 */
const DATES: Record<string, string> = {
  'capabilities/developers/sessions.ts': 'ends of sessions, in the database',
  'capabilities/functions/crons.ts': 'slots of crons',
  'capabilities/functions/owners/nodes.ts': 'signatures that other nodes check',
  'capabilities/leaderboards/ranks.ts': 'checkpoints, which all nodes read from the database',
  'capabilities/mail/outbox.ts': 'mails that wait, in the database',
  'capabilities/money/verify.ts': 'days of the ledger',
  'capabilities/players/activity.ts': 'days on which players were active',
  'capabilities/projects/overview.ts': 'days of a chart',
  'capabilities/rooms/code/handover.ts': 'when the room moves to another version, in its snapshot',
  'capabilities/rooms/code/keeping.ts': 'wakeAt',
  'capabilities/rooms/code/waking.ts': 'wakeAt, which the code chooses',
  'capabilities/rooms/waiting-players.ts': 'requests that were made at another node',
  'capabilities/sharing/visits.ts': 'days of links',
  'capabilities/voice/call.ts': 'ends of mutes',
  'engines/blobs/spool.ts': 'times of files',
  'engines/cluster/memory.ts': 'snapshots in a file',
  'engines/turn/embedded/allocations.ts': 'ends of credentials',
  'engines/turn/embedded/authentication.ts': 'ends of credentials',
  'platform/jobs/age-guard.ts': 'slots of jobs, in the database',
}

const NOW = String.raw`(?:millisecondsOf\([^()]*\)|\bnow\(\)\.getTime\(\))`
/** A sum, a difference, a comparison, or the name `nowMs`, with which others are made. */
const CALCULATED = new RegExp(
  String.raw`(?:[-+<]|(?<!=)>)=?\s*(?:[\w.#]+\.)?${NOW}|${NOW}\s*[-+<>]|\bnowMs(?:\(\): number \{\s*return| =(?: \(\) =>)?)\s+(?:[\w.#]+\.)?${NOW}`,
  'g',
)
const TIMER = /\.(?:after|every)\(|\bset(?:Interval|Timeout)\(/
/** `dueAtMs`, `sinceMs`: a moment. What is stored has texts, such as `expiresAt`. */
const MOMENT = /\b(?:since|until|\w+(?:At|Since|Until))Ms\b/

/** Durations must not be measured by a clock that can be set: timers and deadlines go by `clock.elapsedMs()`. */
export function measuredByWallTime({ path, bare }: Source): string[] {
  const [, name] = /^packages\/server\/src\/(.+)$/.exec(path) ?? []
  // The code of workers runs inside workerd, which has no other clock.
  if (name === undefined || /^platform\/clock\.ts$|\/workers\//.test(name)) return []
  const found = TIMER.test(bare) || MOMENT.test(bare) ? (bare.match(CALCULATED) ?? []) : []
  if (DATES[name] === undefined) return found
  return found.length > 0 ? [] : ['is no exception any more']
}
