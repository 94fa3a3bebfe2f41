import { LIMITS } from '@svc/contract/common/limits'
import type { PlayerIdentity, SessionView } from '@svc/contract/players'

import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, timestamp } from '../../../platform/clock.ts'
import type { Player } from '../../../platform/player.ts'
import { type Accounts, checkedName, identitiesOf } from '../accounts.ts'
import type { PlayerSessions, RefreshUse } from '../ports.ts'
import type { PlayerRow, PlayerStore, Transaction } from '../store.ts'
import { identityStore } from './store.ts'

/** An identity at a provider. `profile` is the data of the provider, as JSON. */
export type ExternalIdentity = { provider: string; subject: string; name: string | null; profile: string }

/** A player with a new session; `answer` creates its tokens after the transaction. */
export type OpenedSession = { playerId: string; use: RefreshUse }

export type IdentityDeps = {
  clock: Clock
  accounts: Pick<Accounts, 'banned' | 'create' | 'isBanned' | 'view'>
  sessions: PlayerSessions
  /** Whether the player has saves or stats. */
  hasProgress(transaction: Transaction, environmentId: string, playerId: string): Promise<boolean>
  /** Deletes the address of a player in other capabilities, in the transaction that unlinks it. */
  deleteEmailData(
    transaction: Transaction,
    environmentId: string,
    playerId: string,
    email: string,
  ): Promise<unknown>
}

export type Identities = ReturnType<typeof createIdentities>

/**
 * The sign-in methods of players. An identity belongs to at most one player, and accounts are never merged by email (OAU-11).
 * Errors are thrown before the first write, so that a caller can still commit its own part of the transaction.
 */
export function createIdentities(store: PlayerStore, deps: IdentityDeps) {
  const { clock, accounts, sessions, hasProgress, deleteEmailData } = deps
  const { lockIdentity, lockPlayer, removeEmail, removeXChoice, setProfile } = identityStore

  async function open(
    transaction: Transaction,
    environmentId: string,
    player: PlayerRow,
  ): Promise<OpenedSession> {
    if (accounts.isBanned(player)) throw await accounts.banned(environmentId, player.id)
    return { playerId: player.id, use: await sessions.open(transaction, environmentId, player.id) }
  }

  const attach = (
    transaction: Transaction,
    environmentId: string,
    playerId: string,
    { provider, subject, profile }: ExternalIdentity,
  ) =>
    store
      .in(transaction)
      .insertIdentity({ environmentId, provider, subject, playerId, linkedAt: timestamp(clock), profile })

  /** Finds the owner and locks it until the transaction ends, against unlink, ban and delete. */
  async function lockOwner(
    transaction: Transaction,
    environmentId: string,
    externalIdentity: ExternalIdentity,
  ) {
    const find = () =>
      store.in(transaction).findIdentity(environmentId, externalIdentity.provider, externalIdentity.subject)
    await lockIdentity(transaction, { environmentId, ...externalIdentity })
    const found = await find()
    if (!found) return undefined
    await lockPlayer(transaction, environmentId, found.playerId)
    // The identity may have been unlinked, or its player deleted, during the wait for the lock.
    return (await find()) && store.in(transaction).find(environmentId, found.playerId)
  }

  /** Updates name and picture, and keeps fields that a provider sends only at the first sign-in, as Apple does with names. */
  async function signInExisting(
    transaction: Transaction,
    environmentId: string,
    owner: PlayerRow,
    { provider, subject, profile }: ExternalIdentity,
  ): Promise<OpenedSession> {
    const openedSession = await open(transaction, environmentId, owner)
    const known = await store.in(transaction).findIdentity(environmentId, provider, subject)
    const renewed = renewedProfile(known?.profile ?? '{}', profile)
    if (renewed !== known?.profile)
      await setProfile(transaction, { environmentId, provider, subject, profile: renewed })
    return openedSession
  }

  async function signUp(transaction: Transaction, environmentId: string, externalIdentity: ExternalIdentity) {
    const player = await accounts.create(transaction, environmentId, displayNameFrom(externalIdentity.name))
    await attach(transaction, environmentId, player.id, externalIdentity)
    return open(transaction, environmentId, player)
  }

  async function signIn(transaction: Transaction, environmentId: string, externalIdentity: ExternalIdentity) {
    const owner = await lockOwner(transaction, environmentId, externalIdentity)
    return owner
      ? signInExisting(transaction, environmentId, owner, externalIdentity)
      : signUp(transaction, environmentId, externalIdentity)
  }

  async function isGuest(transaction: Transaction, environmentId: string, player: PlayerRow) {
    const identities = await store.in(transaction).identities(environmentId, player.id)
    return identitiesOf(player, identities).length === 0
  }

  /** Signs in as the owner instead of linking. A guest with saves or stats would lose them, and must confirm first. */
  async function switchTo(
    transaction: Transaction,
    environmentId: string,
    externalIdentity: ExternalIdentity,
    owner: PlayerRow,
    linkingId: string,
  ): Promise<OpenedSession> {
    const current = await store.in(transaction).find(environmentId, linkingId)
    const wouldMissIt =
      current &&
      (await isGuest(transaction, environmentId, current)) &&
      (await hasProgress(transaction, environmentId, linkingId))
    if (wouldMissIt) throw new ApiError('identity_already_linked', { displayName: owner.displayName })
    return signInExisting(transaction, environmentId, owner, externalIdentity)
  }

  async function link(
    transaction: Transaction,
    environmentId: string,
    externalIdentity: ExternalIdentity,
    linking: Pick<Player, 'id' | 'sessionId'> & { orSignIn?: boolean },
  ): Promise<OpenedSession> {
    const owner = await lockOwner(transaction, environmentId, externalIdentity)
    if (owner && owner.id !== linking.id) {
      if (!linking.orSignIn) throw new ApiError('identity_already_linked')
      return switchTo(transaction, environmentId, externalIdentity, owner, linking.id)
    }

    await lockPlayer(transaction, environmentId, linking.id)
    const player = await store.in(transaction).find(environmentId, linking.id)
    // A session that has ended since must not regain access through this link.
    const mayLink = player && (await sessions.isLive(transaction, environmentId, linking.sessionId))
    if (!mayLink) throw new ApiError('invalid_code')
    if (owner) return signInExisting(transaction, environmentId, player, externalIdentity)

    const identities = await store.in(transaction).identities(environmentId, player.id)
    if (identities.some(({ provider }) => provider === externalIdentity.provider)) {
      throw new ApiError('identity_already_linked')
    }
    const openedSession = await open(transaction, environmentId, player)
    await attach(transaction, environmentId, player.id, externalIdentity)
    if (identitiesOf(player, identities).length === 0)
      await store.in(transaction).noteChange(environmentId, player.id, { players: 0, registered: 1 })
    return openedSession
  }

  return {
    signIn,
    link,

    /** Sign-in of a player who already has a session, usually as a guest (OAU-14). */
    async signInNatively(
      transaction: Transaction,
      environmentId: string,
      externalIdentity: ExternalIdentity,
      caller: Player,
      wantsLink: boolean,
    ): Promise<OpenedSession & { linked: boolean }> {
      const owner = await lockOwner(transaction, environmentId, externalIdentity)
      if (owner && wantsLink && owner.id !== caller.id) throw new ApiError('identity_already_linked')
      if (owner)
        return {
          ...(await signInExisting(transaction, environmentId, owner, externalIdentity)),
          linked: false,
        }

      await lockPlayer(transaction, environmentId, caller.id)
      const player = await store.in(transaction).find(environmentId, caller.id)
      const isLive = await sessions.isLive(transaction, environmentId, caller.sessionId)
      if (!player || !isLive) throw new ApiError('invalid_token')
      if (wantsLink || (await isGuest(transaction, environmentId, player))) {
        return { ...(await link(transaction, environmentId, externalIdentity, caller)), linked: true }
      }
      return { ...(await signUp(transaction, environmentId, externalIdentity)), linked: false }
    },

    async answer(environmentId: string, { playerId, use }: OpenedSession): Promise<SessionView> {
      const player = await accounts.view(environmentId, playerId)
      if (!player) throw new ApiError('invalid_code')
      return sessions.issueTokens(environmentId, player, use)
    },

    /** The error that it would get now; the final check is when it takes effect. */
    async precheck(
      environmentId: string,
      { provider, subject }: Pick<ExternalIdentity, 'provider' | 'subject'>,
      linking: { id: string | null; orSignIn: boolean },
    ): Promise<'identity_already_linked' | 'player_banned' | undefined> {
      const owned = await store.findIdentity(environmentId, provider, subject)
      const playerId = (linking.orSignIn ? owned?.playerId : undefined) ?? linking.id ?? owned?.playerId
      if (playerId === undefined) return undefined
      const mine = await store.identities(environmentId, playerId)
      const taken = owned ? owned.playerId !== playerId : mine.some((one) => one.provider === provider)
      if (taken) return 'identity_already_linked'
      const status = await store.findPlayerStatus(environmentId, playerId)
      return status && accounts.isBanned(status) ? 'player_banned' : undefined
    },

    async list({ environmentId, id }: Player): Promise<{ identities: PlayerIdentity[] }> {
      const row = await store.find(environmentId, id)
      if (!row) throw new ApiError('invalid_token')
      return { identities: identitiesOf(row, await store.identities(environmentId, id)) }
    },

    /** Signs out every other device (OAU-21), because an attacker may use one of them. */
    async unlink({ environmentId, id }: Player, provider: string, refreshToken: string) {
      const sessionId = await sessions.requireOwn(environmentId, id, refreshToken)

      await store.change(environmentId, id, async (transaction) => {
        const row = await store.in(transaction).find(environmentId, id)
        if (!row || !(await sessions.isLive(transaction, environmentId, sessionId))) {
          throw new ApiError('invalid_refresh_token')
        }
        const identities = await store.in(transaction).identities(environmentId, id)
        const attached = identitiesOf(row, identities).map((identity) => identity.provider)
        if (!attached.includes(provider)) throw new ApiError('identity_not_found')

        const remains = identities.some((identity) => identity.provider !== provider)
        const logsInByEmail = provider !== 'email' && row.email !== null && row.passwordHash !== null
        if (!remains && !logsInByEmail) throw new ApiError('last_login_method')

        if (provider === 'email') {
          await removeEmail(transaction, environmentId, id)
          await deleteEmailData(transaction, environmentId, id, row.email ?? '')
        } else await store.in(transaction).removeIdentity(environmentId, id, provider)
        if (provider === 'x') await removeXChoice(transaction, environmentId, id)
        await sessions.revokeAll(transaction, environmentId, id, { reason: 'unlink', exceptId: sessionId })
      })
      await sessions.disconnect(environmentId, id, { except: sessionId })

      const player = await accounts.view(environmentId, id)
      if (!player) throw new ApiError('invalid_token')
      return { player }
    },
  }
}

function renewedProfile(known: string, received: string): string {
  const news = Object.entries(JSON.parse(received) as object).filter(([, value]) => value !== null)
  return JSON.stringify({ ...(JSON.parse(known) as object), ...Object.fromEntries(news) })
}

const NAME_LENGTH_MAX = LIMITS.displayNameLengthMax

/** The provider's name, truncated; if it is not a valid display name, a guest name is used. */
function displayNameFrom(name: string | null): { displayName?: string } {
  const cut = Array.from((name ?? '').normalize('NFC').trim()).slice(0, NAME_LENGTH_MAX)
  try {
    return { displayName: checkedName(cut.join('')) }
  } catch {
    return {}
  }
}
