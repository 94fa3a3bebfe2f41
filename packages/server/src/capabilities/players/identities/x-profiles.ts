import { LIMITS } from '@svc/contract/common/limits'
import type { XProfile } from '@svc/contract/sharing'

import { ApiError, invalidField } from '../../../platform/api-error.ts'
import type { Environment } from '../../../platform/environment.ts'
import type { Player } from '../../../platform/player.ts'
import type { XProfileStore } from './x-profile-store.ts'

type XProfileDeps = { isChild(environment: { id: string }, playerId: string): Promise<boolean> }
export type XProfiles = ReturnType<typeof createXProfiles>

/** X profiles that players show to others: only if the player chose it, and never those of children (SHR-12, SHR-13). */
export function createXProfiles(store: XProfileStore, { isChild }: XProfileDeps) {
  async function requireNoChild({ environmentId, id }: Player) {
    if (await isChild({ id: environmentId }, id)) throw new ApiError('age_restricted')
  }

  return {
    async read(player: Player) {
      await requireNoChild(player)
      const found = await store.find(player.environmentId, player.id)
      if (!found) throw new ApiError('x_profile_not_found')
      return { ...profileIn(found.profile), visible: found.visible === 1 }
    },

    async change(player: Player, { visible }: { visible: boolean }) {
      await requireNoChild(player)
      const { environmentId, id: playerId } = player
      return store.change(environmentId, playerId, async (transaction) => {
        const found = await store.findIn(transaction, environmentId, playerId)
        if (!found) throw new ApiError('x_profile_not_found')
        await store.setVisible(transaction, { environmentId, playerId, visible: visible ? 1 : 0 })
        return { ...profileIn(found.profile), visible }
      })
    },

    async list(environment: Environment, { ids }: { ids: string }) {
      const playerIds = [...new Set(ids.split(',').map((id) => id.trim()))].filter((id) => id !== '')
      if (playerIds.length === 0) throw invalidField('$.ids', 'must contain at least one player')
      if (playerIds.length > LIMITS.xProfilesMax)
        throw invalidField('$.ids', `must contain at most ${LIMITS.xProfilesMax} players`)
      const visible = await store.visible(environment.id, playerIds)
      // A player may have become a child after the choice, by a correction of its age.
      const areChildren = await Promise.all(visible.map(({ playerId }) => isChild(environment, playerId)))
      const shown = visible.filter((_, at) => !areChildren[at])
      const profiles = Object.fromEntries(
        shown.map(({ playerId, profile }) => [playerId, profileIn(profile)] as const),
      )
      return { profiles }
    },
  }
}

/** The profile as of the last sign-in. */
export function profileIn(text: string): XProfile {
  const { username, name, avatarUrl } = JSON.parse(text) as Partial<XProfile>
  return { username: username ?? null, name: name ?? null, avatarUrl: avatarUrl ?? null }
}
