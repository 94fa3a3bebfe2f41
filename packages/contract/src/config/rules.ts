import { FEATURES, type FeatureName } from '../common/features.ts'
import { LIMITS } from '../common/limits.ts'
import type { EnvironmentName } from '../common/schemas.ts'
import { ConfigDocument } from './document.ts'
import { type ConfigProblem, quoted, type Report, validParts } from './shape.ts'
import { imageProblem, originProblem, redirectUrlProblem, webhookUrlProblem } from './urls.ts'

export type { ConfigProblem, ConfigRule } from './shape.ts'

/** The maximum number of problems: a hostile document must not cause a response of megabytes. */
const PROBLEMS_MAX = 500

/** All problems of a document together; empty if it may be pushed (CFG-02). Accepts any value, never throws. */
export function checkConfig(document: unknown, where: { environment: EnvironmentName }): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const report: Report = (path, rule, message) => {
    if (problems.length < PROBLEMS_MAX) problems.push({ path, message, rule })
  }
  const sound = (validParts(ConfigDocument, document, '$', report) ?? {}) as ValidPartsOf<ConfigDocument>
  checkTimeZone(sound, report)
  checkFeatures(sound, report)
  checkKeys('$.stats', sound.stats, report)
  checkKeys('$.multiplayer.modes', sound.multiplayer?.modes, report)
  checkPlayers(sound, report)
  checkUrls(sound, where.environment, report)
  checkStatRules(sound, report)
  checkLeaderboards(sound, report)
  return problems
}

/** A document in which every part may be missing: parts that the schema rejected are already reported and left out. */
type ValidPartsOf<T> = T extends string | number | boolean
  ? T | undefined
  : T extends (infer Item)[]
    ? ValidPartsOf<Item>[]
    : { [Key in keyof T]?: ValidPartsOf<NonNullable<T[Key]>> | undefined }

type Document = ValidPartsOf<ConfigDocument>

function checkTimeZone({ resetTimeZone }: Document, report: Report) {
  if (resetTimeZone === undefined || isTimeZone(resetTimeZone)) return
  report(
    '$.resetTimeZone',
    'time_zone',
    `${quoted(resetTimeZone)} is not an IANA time zone such as Europe/Berlin`,
  )
}

function isTimeZone(name: string): boolean {
  // `+01:00` is an offset, which the machine would accept, but not a time zone.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    // Both are needed: Intl also accepts PST and JST, which are not IANA zones, and Temporal, which computes the periods, also
    // accepts T00:00Z.
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    // Node 20, on which the CLI runs, has no Temporal. The service, which has, decides.
    if (typeof Temporal === 'undefined') return timeZone !== ''
    return Boolean(timeZone && Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name))
  } catch {
    return false
  }
}

function checkFeatures({ features = {} }: Document, report: Report) {
  for (const name of Object.keys(FEATURES) as FeatureName[]) {
    const { requires } = FEATURES[name]
    if (!features[name] || requires === null || features[requires]) continue
    report(`$.features.${name}`, 'requires', `requires features.${requires}`)
  }
}

/** CFG-06 */
function checkKeys(section: string, entries: Document['stats'] | ModeDocument[], report: Report) {
  const seen = new Set<string>()
  for (const [index, entry] of (entries ?? []).entries()) {
    if (entry?.key === undefined) continue
    if (seen.has(entry.key)) {
      report(`${section}[${index}].key`, 'duplicate', `${quoted(entry.key)} is a duplicate`)
    }
    seen.add(entry.key)
  }
}

type ModeDocument = NonNullable<NonNullable<Document['multiplayer']>['modes']>[number]

/** CFG-10, CFG-11; a missing number has its default. */
function checkPlayers({ multiplayer }: Document, report: Report) {
  for (const [index, mode] of (multiplayer?.modes ?? []).entries()) {
    const { minPlayers = 2, maxPlayers = 4, transport, p2p } = mode ?? {}
    const path = `$.multiplayer.modes[${index}]`
    if (minPlayers > maxPlayers && mode?.minPlayers !== undefined) {
      report(`${path}.minPlayers`, 'players', `${minPlayers} must not exceed maxPlayers ${maxPlayers}`)
    } else if (minPlayers > maxPlayers) {
      report(`${path}.maxPlayers`, 'players', `${maxPlayers} must not be less than minPlayers ${minPlayers}`)
    }
    if (transport === 'p2p' && mode?.room)
      report(`${path}.room`, 'requires', 'requires transport "server": code runs in the service')
    const meshPlayers = p2p?.maxPlayers ?? 4
    if (transport === 'p2p' && minPlayers > meshPlayers) {
      report(`${path}.minPlayers`, 'players', `${minPlayers} must not exceed p2p.maxPlayers ${meshPlayers}`)
    }
  }
}

function checkUrls({ auth, web, share, integrity }: Document, environment: EnvironmentName, report: Report) {
  const image = share?.tags?.image
  const webhookUrl = integrity?.stats?.webhook?.url
  const found = [
    ...(auth?.redirectUrls ?? []).map(
      (url, index) => [`$.auth.redirectUrls[${index}]`, 'url', url && redirectUrlProblem(url)] as const,
    ),
    ...(web?.allowedOrigins ?? []).map(
      (origin, index) =>
        [`$.web.allowedOrigins[${index}]`, 'origin', origin && originProblem(origin)] as const,
    ),
    ['$.share.tags.image', 'url', image && imageProblem(image)] as const,
    [
      '$.integrity.stats.webhook.url',
      'url',
      webhookUrl && webhookUrlProblem(webhookUrl, environment),
    ] as const,
  ]
  for (const [path, rule, message] of found) if (message) report(path, rule, message)
}

/** CFG-18; rules are allowed while statsVerification is off, but have no effect then. */
function checkStatRules({ stats = [], integrity }: Document, report: Report) {
  const defined = new Set(stats.map((stat) => stat?.key))
  const seen = new Set<string>()
  for (const [index, rule] of (integrity?.stats?.rules ?? []).entries()) {
    const { stat, min, max } = rule ?? {}
    const path = `$.integrity.stats.rules[${index}]`
    if (min !== undefined && max !== undefined && min > max) {
      report(`${path}.min`, 'range', `${min} must not exceed max ${max}`)
    }
    if (stat === undefined) continue
    if (!defined.has(stat)) {
      report(`${path}.stat`, 'undefined_stat', `${quoted(stat)} is not defined in stats`)
    } else if (seen.has(stat)) {
      report(`${path}.stat`, 'duplicate', `${quoted(stat)} already has a rule`)
    }
    seen.add(stat)
  }
}

/** LDB-01 */
function checkLeaderboards({ stats = [], features, integrity }: Document, report: Report) {
  const isVerified = features?.statsVerification === true && integrity?.stats?.webhook?.url !== undefined
  let boards = 0
  for (const [index, stat] of stats.entries()) {
    if (!stat?.leaderboard) continue
    const { periods, verifiedOnly } = stat.leaderboard
    const path = `$.stats[${index}].leaderboard`
    if (++boards === LIMITS.configLeaderboardsMax + 1) {
      report(path, 'too_many', `must be one of at most ${LIMITS.configLeaderboardsMax} leaderboards`)
    }
    if (periods?.length === 0) report(`${path}.periods`, 'length', 'must not be empty')
    for (const [at, period] of (periods ?? []).entries()) {
      if (period === undefined || periods?.indexOf(period) === at) continue
      report(`${path}.periods[${at}]`, 'duplicate', `${quoted(period)} is a duplicate`)
    }
    if (verifiedOnly === true && !isVerified) {
      report(
        `${path}.verifiedOnly`,
        'requires',
        'requires features.statsVerification and integrity.stats.webhook.url',
      )
    }
  }
}
