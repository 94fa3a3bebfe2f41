import { FEATURES, type FeatureName, PROVIDERS, type Provider } from '../common/features.ts'
import { LIMITS } from '../common/limits.ts'
import type { ConfigDocument } from './document.ts'
import type { Text } from './fields.ts'

/** A valid document with every default filled in: what the service works with. */
export type Config = ReturnType<typeof fillDefaults>
/** A multiplayer mode with its defaults filled in. */
export type Mode = Config['multiplayer']['modes'][number]

/** Returns the document with every default filled in. The document must be valid. */
export function fillDefaults(document: ConfigDocument) {
  const { features, stats, multiplayer, auth, web, integrity, svcNews } = document
  const audience = document.audience ?? 'general'
  const { rules = [], maxSubmitsPerMinute = 60, webhook } = integrity?.stats ?? {}

  return {
    resetTimeZone: document.resetTimeZone ?? 'UTC',
    audience,
    features: byName<FeatureName, boolean>(Object.keys(FEATURES), (name) => features?.[name] ?? false),
    stats: (stats ?? []).map(statOf),
    multiplayer: { modes: modesOf(multiplayer?.modes ?? []) },
    auth: {
      redirectUrls: auth?.redirectUrls ?? [],
      providers: byName<Provider, Switch>(PROVIDERS, (name) => switchOf(auth?.providers?.[name])),
    },
    web: { allowedOrigins: web?.allowedOrigins ?? [] },
    share: shareOf(document.share ?? {}),
    integrity: {
      stats: {
        rules,
        maxSubmitsPerMinute,
        webhook: {
          url: webhook?.url ?? null,
          timeoutMs: webhook?.timeoutMs ?? 1500,
          onFailure: webhook?.onFailure ?? 'accept',
        },
      },
    },
    // The box is never shown to children (NWS-02), whatever the switch says.
    svcNews: { optIn: (svcNews?.optIn ?? true) && audience !== 'kids' },
  }
}

type Stat = NonNullable<ConfigDocument['stats']>[number]

const statOf = (stat: Stat) => {
  const aggregation = stat.aggregation ?? 'sum'
  return {
    ...stat,
    aggregation,
    source: stat.source ?? 'player',
    leaderboard: stat.leaderboard && leaderboardOf(stat.leaderboard, aggregation),
  }
}

const leaderboardOf = (
  { periods = ['allTime'], order, verifiedOnly = false }: NonNullable<Stat['leaderboard']>,
  aggregation: string,
) => ({ periods, order: order ?? (aggregation === 'min' ? 'asc' : 'desc'), verifiedOnly })

type Modes = NonNullable<NonNullable<ConfigDocument['multiplayer']>['modes']>
type Share = NonNullable<ConfigDocument['share']>
type Switch = { enabled: boolean }

const BUILT_IN_MODES: Modes = [{ key: 'default', minPlayers: 2, maxPlayers: 8 }]

const modesOf = (modes: Modes) => (modes.length > 0 ? modes : BUILT_IN_MODES).map(modeOf)

function modeOf(mode: Modes[number]) {
  const p2p = { maxPlayers: mode.p2p?.maxPlayers ?? 4, relayOnly: mode.p2p?.relayOnly ?? true }
  const transport = mode.transport ?? 'server'
  const maxPlayers = mode.maxPlayers ?? 4
  return {
    ...mode,
    minPlayers: mode.minPlayers ?? 2,
    maxPlayers: transport === 'p2p' ? Math.min(maxPlayers, p2p.maxPlayers) : maxPlayers,
    fillTimeoutSeconds: mode.fillTimeoutSeconds ?? 15,
    gatherSeconds: mode.gatherSeconds ?? 0,
    backfillSeconds: mode.backfillSeconds ?? null,
    transport,
    p2p,
    room: mode.room && { finishMinutes: LIMITS.roomFinishMinutesByDefault, ...mode.room },
  }
}

/** Handles lose their `@` and hashtags their `#` here, so that nobody has to ask again. */
function shareOf({ images, tags, links, tracking, inAppBrowser }: Share) {
  const { background = '#0f1115', accent = '#ffcc33', text = '#ffffff' } = images?.theme ?? {}
  return {
    images: { ...images, ...switchOf(images), theme: { background, accent, text } },
    // Card tags need an image; what the document says at `tags.enabled` has no effect (SHR-11).
    tags: {
      ...tags,
      enabled: tags?.image !== undefined || images?.enabled === true,
      site: tags?.site?.replace('@', '') ?? null,
    },
    links: {
      ...links,
      ...switchOf(links),
      hashtags: (links?.hashtags ?? []).map((hashtag) => hashtag.replace('#', '')),
      via: links?.via?.replace('@', '') ?? null,
    },
    tracking: switchOf(tracking),
    inAppBrowser: switchOf(inAppBrowser),
  }
}

const switchOf = (section: { enabled?: boolean } | undefined): Switch => ({
  enabled: section?.enabled ?? false,
})

const byName = <Name extends string, T>(names: readonly string[], valueOf: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, valueOf(name as Name)])) as Record<Name, T>

/** The text for a language: exact, then the base language, then English, then the first (CFG-07). */
export function localized(text: Text, language: string): string {
  if (typeof text === 'string') return text
  const [base = ''] = language.split('-')
  const code = [language, base, 'en'].find((code) => Object.hasOwn(text, code))
  return (code === undefined ? Object.values(text)[0] : text[code]) ?? ''
}
