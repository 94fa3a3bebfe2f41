import type { Definitions } from '@svc/contract/game-data'

import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import { RawJson } from '../../platform/http/raw-json.ts'
import type { ConfigCache, Current } from './cache.ts'

export type ReadDefinitions = ReturnType<typeof createDefinitions>

/** The part of the config that the game may read (STA-17): serialized once per version, not once per request. */
export function createDefinitions(configs: ConfigCache) {
  const written = new WeakMap<Current, RawJson>()

  return async ({ id }: Pick<Environment, 'id'>): Promise<RawJson> => {
    const current = await configs.current(id)
    const answer = written.get(current) ?? tagged(publicPartOf(current))
    written.set(current, answer)
    return answer
  }
}

function tagged(definitions: Definitions): RawJson {
  const text = JSON.stringify(definitions)
  // Includes the content, because the features that the operator offers may change without a new version.
  return new RawJson(text, `"${definitions.configVersion}-${sha256(text).slice(0, 16)}"`)
}

/** Field by field, so that new fields of the config stay private until they are added here. */
function publicPartOf({ version, config }: Current): Definitions {
  const { resetTimeZone, audience, features, stats, multiplayer, auth, share, svcNews } = config
  return {
    configVersion: version,
    resetTimeZone,
    audience,
    features,
    stats: stats.map(
      ({ key, title = null, aggregation, maxPerSubmit = null, source, leaderboard = null }) => ({
        key,
        title,
        aggregation,
        maxPerSubmit,
        source,
        leaderboard,
      }),
    ),
    modes: multiplayer.modes.map((mode) => ({
      key: mode.key,
      title: mode.title ?? null,
      minPlayers: mode.minPlayers,
      maxPlayers: mode.maxPlayers,
      fillTimeoutSeconds: mode.fillTimeoutSeconds,
      gatherSeconds: mode.gatherSeconds,
      backfillSeconds: mode.backfillSeconds,
      transport: mode.transport,
      p2p: mode.p2p,
    })),
    auth: { email: features.emailLogin, providers: switchedOn(auth.providers) },
    share: Object.fromEntries(Object.entries(share).map(([tool, { enabled }]) => [tool, enabled])),
    svcNews: { optIn: svcNews.optIn },
  }
}

const switchedOn = (switches: Record<string, { enabled: boolean }>): string[] =>
  Object.keys(switches).filter((name) => switches[name]?.enabled)
