import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

import { type Clock, DAY_MS, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { createCache } from '../../platform/memory/cache.ts'
import { type Random, randomText } from '../../platform/random.ts'
import type { SessionStore, SigningKeyRow, Transaction } from './store.ts'

export type Secrets = {
  write(transaction: Transaction, id: string, plaintext: string): Promise<void>
  read(id: string): Promise<string | undefined>
  remove(transaction: Transaction, id: string): Promise<void>
}

type SigningKey = { kid: string; createdAt: string; header: string; privateKey: KeyObject }
type VerifyingKey = {
  kid: string
  environmentId: string
  header: string
  publicKey: KeyObject
  retiredAt: string | null
}
export type SigningKeys = ReturnType<typeof createSigningKeys>

const KEY_LIFETIME_MS = 30 * DAY_MS
/** A token that was signed at the end of a key's lifetime is valid this long. */
const PUBLISHED_AFTER_MS = 15 * MINUTE_MS
/**
 * Its refresh token is valid for 90 days. During this time the public key is kept, to distinguish an expired token from a forged
 * one: on `token_expired` a client refreshes, on `invalid_token` it loses its session.
 */
const KNOWN_AFTER_MS = 91 * DAY_MS

/** ES256, one key pair per environment, created at its first use and replaced every thirty days (SES-04). */
export function createSigningKeys(store: SessionStore, secrets: Secrets, clock: Clock, random: Random) {
  const current = createCache({ read: readOrMake, ttlMs: MINUTE_MS, entriesMax: 10_000 })
  const known = createCache({ read: readByKid, ttlMs: MINUTE_MS, entriesMax: 10_000 })

  async function readOrMake(environmentId: string): Promise<SigningKey> {
    const usable = (rows: SigningKeyRow[]) => rows.find((row) => row.retiredAt === null && !isOld(row))
    const found = usable(await store.signingKeys(environmentId))
    const opened = found && (await open(found))
    if (opened) return opened

    const { publicKey, privateKey } = await generate('ec', { namedCurve: 'P-256' })
    const kid = randomText(random, 16)
    const row = {
      environmentId,
      kid,
      publicJwk: JSON.stringify(publicKey.export({ format: 'jwk' })),
      createdAt: timestamp(clock),
      retiredAt: null,
    }
    const kept = await store.changeSigningKeys(environmentId, async (transaction) => {
      const rows = await store.in(transaction).signingKeys(environmentId)
      // Another node was faster: use its key.
      const theirs = usable(rows)
      if (theirs) return theirs
      for (const old of rows.filter(({ retiredAt }) => retiredAt === null)) {
        await store.in(transaction).retireSigningKey(environmentId, old.kid, timestamp(clock))
        await secrets.remove(transaction, secretId(environmentId, old.kid))
      }
      await secrets.write(
        transaction,
        secretId(environmentId, kid),
        privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      )
      await store.in(transaction).insertSigningKey(row)
      return row
    })
    const key = await open(kept)
    if (!key) throw new Error(`the signing key ${kept.kid} has no private key`)
    return key
  }

  /** Undefined if the key was retired since its row was read. */
  async function open({ environmentId, kid, createdAt }: SigningKeyRow): Promise<SigningKey | undefined> {
    const pem = await secrets.read(secretId(environmentId, kid))
    return pem === undefined
      ? undefined
      : { kid, createdAt, header: headerOf(kid), privateKey: createPrivateKey(pem) }
  }

  async function readByKid(kid: string): Promise<VerifyingKey | undefined> {
    const row = await store.findSigningKey(kid)
    if (!row || isRetiredFor(row, KNOWN_AFTER_MS)) return undefined
    const publicKey = createPublicKey({ key: JSON.parse(row.publicJwk), format: 'jwk' })
    const { environmentId, retiredAt } = row
    return { kid, environmentId, retiredAt, header: headerOf(kid), publicKey }
  }

  const isOld = ({ createdAt }: { createdAt: string }) => createdAt <= timestamp(clock, -KEY_LIFETIME_MS)
  const isRetiredFor = ({ retiredAt }: Pick<SigningKeyRow, 'retiredAt'>, ms: number) =>
    retiredAt !== null && retiredAt <= timestamp(clock, -ms)

  return {
    async forSigning(environmentId: string): Promise<SigningKey> {
      const key = await current.get(environmentId)
      if (!isOld(key)) return key
      current.drop(environmentId)
      return current.get(environmentId)
    },
    /** Includes retired keys (`isRetired`), whose tokens have all expired. */
    forVerifying: (kid: string): Awaitable<VerifyingKey | undefined> => known.get(kid),
    isRetired: (key: VerifyingKey): boolean => isRetiredFor(key, PUBLISHED_AFTER_MS),

    /** Every public key with which a valid token may have been signed, so that a game's server can check tokens offline. */
    async published(environmentId: string | undefined) {
      const rows = await store.publishedKeys(timestamp(clock, -PUBLISHED_AFTER_MS))
      return {
        keys: rows
          .filter((row) => environmentId === undefined || row.environmentId === environmentId)
          .map(({ kid, publicJwk }) => ({ ...JSON.parse(publicJwk), kid, alg: 'ES256', use: 'sig' })),
      }
    },

    /** At most four keys of an environment are kept in addition to the current one. */
    async purgeExpired() {
      for (const { environmentId, kid } of await store.retiredKeys(timestamp(clock, -KNOWN_AFTER_MS)))
        await store.changeSigningKeys(environmentId, async (transaction) => {
          await store.in(transaction).removeSigningKey(environmentId, kid)
          await secrets.remove(transaction, secretId(environmentId, kid))
        })
    },
  }
}

const generate = promisify(generateKeyPair)

const secretId = (environmentId: string, kid: string) => `sessions:signing:${environmentId}:${kid}`

/** The only header that our tokens have: compared as text, never parsed. */
const headerOf = (kid: string) =>
  Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid })).toString('base64url')
