import type { PersonalData } from '../../platform/ports/personal-data.ts'
import { view } from './accounts.ts'
import { profileIn } from './identities/x-profiles.ts'
import type { PersonalDataStore } from './personal-data-store.ts'
import type { PlayerStore, Transaction } from './store.ts'

export type PersonalDataDeps = {
  /** Mails to an address, sent or not. */
  mails: {
    listTo(environmentId: string, email: string): Promise<object[]>
    removeTo(transaction: Transaction, environmentId: string, email: string): Promise<unknown>
  }
}

/** Exports and removes everything that this folder stores about a player (OWN-01 … OWN-04). */
export const createPersonalData = (
  players: PlayerStore,
  store: PersonalDataStore,
  { mails }: PersonalDataDeps,
): PersonalData<Transaction> => ({
  async exportForPlayer(environmentId, playerId) {
    const row = await players.find(environmentId, playerId)
    if (!row) return { player: null }
    const identities = await players.identities(environmentId, playerId)
    const { emailLinkedAt, emailVerifiedAt, passwordHash, lastSeenAt, email, leaderboardsHidden } = row
    const { identities: attached, ...player } = view(row, identities)
    const external = new Map(identities.map((identity) => [identity.provider, identity]))
    return {
      player: { ...player, emailLinkedAt, emailVerifiedAt, hasPassword: passwordHash !== null, lastSeenAt },
      identities: attached.map((identity) => {
        const { subject, profile } = external.get(identity.provider) ?? {}
        return profile === undefined ? identity : { ...identity, subject, profile: JSON.parse(profile) }
      }),
      showsOnLeaderboards: leaderboardsHidden === 0,
      xProfile: xProfileOf(external.get('x')?.profile, await store.xProfileChoice(environmentId, playerId)),
      mailLinks: await store.mailLinks(environmentId, playerId),
      mails: email === null ? [] : await mails.listTo(environmentId, email),
      activeDays: (await store.days(environmentId, playerId)).map(({ day }) => day),
      // Only hashes of the addresses are stored, and they would be meaningless in an export.
      signInAddresses: (await store.signInDays(environmentId, playerId)).map(({ day }) => ({
        lastSignInOn: day,
      })),
    }
  },

  async removeForPlayer(transaction, environmentId, playerId) {
    const row = await players.in(transaction).find(environmentId, playerId)
    const addresses = await store.addresses(transaction, environmentId, playerId)
    if (row?.email) addresses.push(row.email)
    for (const address of new Set(addresses)) await mails.removeTo(transaction, environmentId, address)
    await store.remove(transaction, environmentId, playerId)
    const identities = await players.in(transaction).removeIdentities(environmentId, playerId)
    if (!(await players.in(transaction).remove(environmentId, playerId))) return
    const isGuest = identities === 0 && row?.email === null
    await players
      .in(transaction)
      .noteChange(environmentId, playerId, { players: -1, registered: isGuest ? 0 : -1 })
  },
})

/** As in the X profile endpoint; null if the player neither linked X nor made a choice. */
function xProfileOf(profile: string | undefined, choice: { visible: number } | undefined) {
  if (profile === undefined && !choice) return null
  return { ...profileIn(profile ?? '{}'), visible: choice?.visible === 1 }
}
