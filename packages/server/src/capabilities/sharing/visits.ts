import { createHmac } from 'node:crypto'

import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, DAY_MS, dayOf, millisecondsOf } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { limitedAddress } from '../../platform/network/networks.ts'
import type { Player } from '../../platform/player.ts'
import { createdAtMsOf } from '../../platform/random.ts'
import type { LinkLookup } from './link-lookup.ts'
import { isMachine } from './machines.ts'
import type { Salts } from './salts.ts'
import type { Visitor, VisitStore } from './visits-store.ts'

type VisitDeps = {
  clock: Clock
  lookup: LinkLookup
  salts: Salts
  audienceOf(environmentId: string): Promise<string>
  isChild(environment: Environment, playerId: string): Promise<boolean>
}
export type Visits = ReturnType<typeof createVisits>

/** The browser of a request. */
export type Browser = { address: string; userAgent: string; purpose: string }
export type Visit = { shareId: string; landed: boolean }

/**
 * Counts visits and starts of play, once per visitor, link and UTC day (SHR-04). A visitor is stored until the day is over as a hash with
 * a random salt of the day; only sums are kept longer. No visitor waits for another (SHR-15). Children and machines are not counted, and
 * nothing is stored about them.
 */
export function createVisits(store: VisitStore, deps: VisitDeps) {
  const { clock, lookup, salts, audienceOf, isChild } = deps

  const mayTrack = async (environment: Environment, player: Player | undefined) =>
    player ? !(await isChild(environment, player.id)) : (await audienceOf(environment.id)) === 'general'

  /** A player counts as new once over all links, before and after midnight, because the day is that of its creation. */
  async function newcomerOf({ environmentId, id }: Player): Promise<Visitor | undefined> {
    const createdAtMs = createdAtMsOf(id)
    if (createdAtMs <= millisecondsOf(clock) - DAY_MS) return undefined
    const day = dayOf(createdAtMs)
    const visitor = hashOf(await salts.of(day), [environmentId, 'new', id])
    return { day, environmentId, shareId: '', kind: 'new', addressHash: '', visitor }
  }

  return {
    async report(
      environment: Environment,
      player: Player | undefined,
      { shareId, landed }: Visit,
      browser: Browser,
    ): Promise<{ counted: boolean }> {
      await lookup.require(environment.id, shareId)
      if (isMachine(browser.userAgent, browser.purpose)) return { counted: false }
      if (!(await mayTrack(environment, player))) return { counted: false }

      const day = dayOf(millisecondsOf(clock))
      const salt = await salts.of(day)
      const kind = landed ? 'visit' : 'play'
      const one = { day, environmentId: environment.id, shareId, kind }
      if (player) {
        const visitor = {
          ...one,
          addressHash: '',
          visitor: hashOf(salt, [environment.id, shareId, player.id]),
        }
        const newcomer = landed ? await newcomerOf(player) : undefined
        return { counted: await (newcomer ? store.insertWith(visitor, newcomer) : store.insert(visitor)) }
      }

      const address = limitedAddress(browser.address)
      const visitor = {
        ...one,
        addressHash: hashOf(salt, [environment.id, shareId, address]),
        visitor: hashOf(salt, [environment.id, shareId, address, browser.userAgent]),
      }
      return { counted: await store.insertFrom(visitor, LIMITS.shareVisitsPerAddressMax) }
    },
  }
}

/** As JSON, so that different parts never give the same text. */
const hashOf = (salt: Buffer, parts: readonly string[]): string =>
  createHmac('sha256', salt).update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
