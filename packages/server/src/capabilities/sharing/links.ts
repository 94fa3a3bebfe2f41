import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { ShareKind, ShareLink, SharePost, TrackedLink } from '@svc/contract/sharing'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import { type Clock, DAY_MS, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import { type Random, randomBase32 } from '../../platform/random.ts'
import type { Counters } from '../../platform/security/failed-attempts.ts'
import { acceptedLanguages } from '../../platform/text/languages.ts'
import { cleanLine, hasVisible } from '../../platform/text/text.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import type { Addresses } from './addresses.ts'
import type { LinkLookup } from './link-lookup.ts'
import { lookOf, textFor } from './look.ts'
import type { CurrentConfig, FindAddress, HostedFiles, Share } from './ports.ts'
import type { LinkRow, LinkStore, NewLink, Transaction } from './store.ts'

export type LinkDeps = {
  clock: Clock
  random: Random
  counters: SlidingCounters & Pick<Counters, 'hit'>
  background: Pick<Background, 'run'>
  audit: Audit<Transaction>
  config: CurrentConfig
  files: HostedFiles
  addresses: Addresses
  lookup: LinkLookup
  /** Null if the player was deleted. */
  displayNameOf(environmentId: string, playerId: string): Promise<string | null>
  isChild(environment: Environment, playerId: string): Promise<boolean>
  findAddress: FindAddress
  environmentOf(environmentId: string): Promise<Environment | undefined>
  drawCard(environment: Environment, shareId: string): Promise<unknown>
}
export type Links = ReturnType<typeof createLinks>

type NewShare = { kind: 'plain' | 'score' | 'challenge'; score?: number; showName?: boolean }

/** Creates and reads the share links of players and the tracked links of developers. */
export function createLinks(store: LinkStore, deps: LinkDeps) {
  const { clock, random, counters, background, audit, config, files, addresses, lookup } = deps

  const newId = () => `shr_${randomBase32(random, 12)}`
  const common = async (environment: Environment, share: Share, languages: readonly string[]) => {
    const createdAt = timestamp(clock)
    const look = lookOf(share.images, await files.live(environment), languages)
    return {
      environmentId: environment.id,
      id: newId(),
      createdAt,
      lastVisitOn: createdAt.slice(0, 10),
      look: JSON.stringify(look),
    }
  }

  async function limitPlayer({ environmentId, id }: Player) {
    const key = `share-links:${environmentId}:${id}`
    requireAdmitted(await counters.admit(key, MINUTE_MS, LIMITS.shareLinksPerMinuteMax))
    const { count, resetsInMs } = await counters.hit(`${key}:day`, DAY_MS)
    requireAdmitted({ isAdmitted: count <= LIMITS.shareLinksPerDayMax, retryInMs: resetsInMs })
  }

  /** Draws the picture in the background; a request in the meantime waits for the same drawing. */
  function drawSoon(environment: Environment, share: Share, id: string) {
    if (share.images.enabled) background.run(() => deps.drawCard(environment, id))
  }

  return {
    async create(environment: Environment, player: Player, input: NewShare, acceptLanguage: string) {
      const { kind, showName = false } = input
      const score = scoreOf(input)
      await limitPlayer(player)
      const name = await deps.displayNameOf(environment.id, player.id)
      if (name === null) throw new ApiError('invalid_token')
      const showsName = showName && !(await deps.isChild(environment, player.id))

      const { share } = (await config(environment.id)).config
      const languages = acceptedLanguages(acceptLanguage)
      const link: NewLink = {
        ...(await common(environment, share, languages)),
        kind,
        playerId: player.id,
        label: null,
        score,
        displayName: showsName ? name : null,
      }
      await store.insert(link)
      drawSoon(environment, share, link.id)
      const address = await deps.findAddress(environment)
      return {
        link: view(link),
        url: addresses.sharePage(address, link.id),
        imageUrl: share.images.enabled ? addresses.linkCard(environment, link.id) : null,
        post: postOf(share.links, { score, languages, title: titleOf(share, languages) ?? address.name }),
      }
    },

    async read(environment: Environment, shareId: string) {
      const link = await lookup.require(environment.id, shareId)
      return { link: view((await lookup.hidesName(link)) ? { ...link, displayName: null } : link) }
    },

    async createTracked(environment: Environment, actor: Actor, input: { label: string }) {
      const label = cleanLine(input.label).trim()
      if (!hasVisible(label)) throw invalidField('$.label', 'must contain a visible character')
      const { share } = (await config(environment.id)).config
      const link: NewLink = {
        ...(await common(environment, share, [])),
        kind: 'tracked',
        playerId: null,
        label,
        score: null,
        displayName: null,
      }
      await store.changeTracked(environment.id, async (tracked, transaction) => {
        const limit = LIMITS.trackedLinksMax
        if ((await tracked.count()) >= limit) throw new ApiError('too_many_links', { limit })
        await tracked.insert(link)
        await audit.record(transaction, changeIn(environment, actor, 'share_link.create', link.id, { label }))
      })
      drawSoon(environment, share, link.id)
      const query = `ks=${link.id}`
      const { url: appUrl } = await deps.findAddress(environment)
      const tracked: TrackedLink = { ...view(link), label }
      return { link: tracked, url: appUrl === undefined ? null : `${appUrl}?${query}`, query }
    },

    /** Everything that is stored about a player here. */
    async exportForPlayer(environmentId: string, playerId: string) {
      const links = await store.listOfPlayer(environmentId, playerId)
      const environment = links.length > 0 ? await deps.environmentOf(environmentId) : undefined
      const imageUrlOf = (id: string) => (environment ? addresses.linkCard(environment, id) : null)
      return {
        shareLinks: links.map(({ cardKey, ...link }) => ({
          ...link,
          imageUrl: cardKey === null ? null : imageUrlOf(link.id),
        })),
      }
    },
    removeForPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
      store.removeForPlayer(transaction, environmentId, playerId, timestamp(clock)),
  }
}

/** Only the kinds score and challenge have a score. */
function scoreOf({ kind, score }: NewShare): number | null {
  if (kind === 'plain') return null
  if (score === undefined) throw invalidField('$.score', `is required for kind ${kind}`)
  if (!Number.isFinite(score)) throw invalidField('$.score', 'must be a finite number')
  // -0 would be read back as 0 by one database and as -0 by the other.
  return score === 0 ? 0 : score
}

const view = ({ id, kind, score, displayName, createdAt }: NewLink | LinkRow): ShareLink => ({
  id,
  kind: kind as ShareKind,
  score,
  displayName,
  createdAt,
})

/** The title of the app on a card or in tags. */
export const titleOf = ({ tags, images }: Share, languages: readonly string[]): string | null =>
  textFor(tags.title, languages) ?? textFor(images.title, languages)

const SCORE = '{score}'

/** `links.text` with the score; null if there is none, or if it needs a score that the link does not have. */
export function scoreText(
  { text }: Share['links'],
  score: number | null,
  languages: readonly string[],
): string | null {
  const words = textFor(text, languages)
  if (words === null || (score === null && words.includes(SCORE))) return null
  return words.replaceAll(SCORE, String(score))
}

const postOf = (
  links: Share['links'],
  { score, languages, title }: { score: number | null; languages: readonly string[]; title: string },
): SharePost => ({
  text: scoreText(links, score, languages) ?? title,
  hashtags: links.hashtags,
  via: links.via,
})
