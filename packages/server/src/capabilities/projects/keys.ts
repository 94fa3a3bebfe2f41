import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { KeyType, KeyView } from '@svc/contract/developers/projects'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment, Project } from '../../platform/environment.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { createCache } from '../../platform/memory/cache.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import type { Messages } from '../../platform/ports/bus.ts'
import type { Ids, Random } from '../../platform/random.ts'
import type { Counters } from '../../platform/security/failed-attempts.ts'
import { cleanLine } from '../../platform/text/text.ts'
import { createKeyHashes, newKeyText } from './key-text.ts'
import type { KeyRow, ProjectStore, Transaction } from './store.ts'

export type Keys = ReturnType<typeof createKeys>
type KeyHolder = { id: string; type: KeyType; label: string; environment: Environment }
type KeyDeps = {
  clock: Clock
  random: Random
  ids: Ids
  audit: Audit<Transaction>
  bus: Messages
  counters: Counters
  /** Records the revocation for nodes that do not receive the bus message. */
  recordRevoked(transaction: Transaction, hash: string): Promise<void>
}

const TOPIC = 'keys'

/** Creates, lists and revokes API keys, and finds the holder of a key for every request. */
export function createKeys(
  store: ProjectStore,
  { clock, random, ids, audit, bus, counters, recordRevoked }: KeyDeps,
) {
  const cached = createCache({ read: readHolder, ttlMs: 1_000, entriesMax: 10_000 })
  const hashOf = createKeyHashes()
  bus.subscribe(TOPIC, cached.drop)
  bus.onGap(cached.clear)
  /** Written in batches (`recordUse`), not during requests. Exact to the second: a key in use is re-read that often. */
  const used = new Map<string, Date>()

  async function readHolder(hash: string): Promise<KeyHolder | undefined> {
    const key = await store.findLiveKey(hash)
    if (!key) return undefined
    const { id, projectId, slug, label, last4 } = key
    used.set(id, clock.now())
    const type = key.type as KeyType
    const environment = {
      id: key.environmentId,
      projectId,
      slug,
      name: key.environment as Environment['name'],
    }
    return { id, type, label: label ?? `${type} key …${last4}`, environment }
  }

  /** Inserts the row and returns the text of the key, which is stored only for a publishable key. */
  async function insert(
    transaction: Transaction,
    environment: Environment,
    type: KeyType,
    label: string | null,
    createdBy: Actor,
  ) {
    const plaintext = newKeyText(random, type, environment.name)
    const row: KeyRow = {
      id: ids('key'),
      projectId: environment.projectId,
      environmentId: environment.id,
      type,
      label,
      hash: sha256(plaintext),
      last4: plaintext.slice(-4),
      plaintext: type === 'publishable' ? plaintext : null,
      createdAt: timestamp(clock),
      lastUsedAt: null,
      revokedAt: null,
      createdBy: JSON.stringify(createdBy),
    }
    await store.in(transaction).insertKey(row)
    return { plaintext, key: view(row, environment.name) }
  }

  /** Evicts keys from the caches of all nodes, of this one first. */
  async function forget(hashes: string[]) {
    for (const hash of hashes) {
      cached.drop(hash)
      await bus.publish(TOPIC, hash)
    }
  }

  return {
    insert,
    forget,
    recordRevoked,
    /** Evicts a key from the cache of this node. */
    drop: cached.drop,

    find(text: string): Awaitable<KeyHolder | undefined> {
      const hash = hashOf(text)
      return hash === undefined ? undefined : cached.get(hash)
    },

    list: async (environment: Environment): Promise<KeyView[]> =>
      (await store.listKeys(environment.id)).map((row) => ({
        ...view(row, environment.name),
        // A use on this node may not be written yet.
        lastUsedAt: used.get(row.id)?.toISOString() ?? row.lastUsedAt,
      })),

    create(
      environment: Environment,
      actor: Actor,
      { type, label: input }: { type: KeyType; label?: string },
    ) {
      const label = input === undefined ? null : cleanLine(input) || null
      return store.change(environment.projectId, async (transaction) => {
        if (!(await store.in(transaction).current(environment.projectId)))
          throw new ApiError('project_not_found')
        const live = await store.in(transaction).listKeys(environment.id)
        if (live.length >= LIMITS.keysPerEnvironmentMax)
          throw new ApiError('too_many_keys', { limit: LIMITS.keysPerEnvironmentMax })
        const made = await insert(transaction, environment, type, label, actor)
        const { id, last4 } = made.key
        await audit.record(
          transaction,
          changeIn(environment, actor, 'key.create', id, { type, label, last4 }),
        )
        return made
      })
    },

    /** The audit log shows the label as the name of the key: other nodes use the new one within a second. */
    async relabel(project: Project, keyId: string, actor: Actor, { label: input }: { label: string }) {
      const label = cleanLine(input) || null
      return store.change(project.id, async (transaction) => {
        const keys = store.in(transaction)
        const before = await keys.labelOf(project.id, keyId)
        const row = await keys.relabelKey(project.id, keyId, label)
        if (!row) throw new ApiError('key_not_found')
        const environments = await keys.environments(project.id)
        const env = environments.find(({ id }) => id === row.environmentId)?.name as Environment['name']
        if (label !== before)
          await audit.record(
            transaction,
            changeIn({ projectId: project.id, name: env }, actor, 'key.relabel', keyId, {
              before,
              after: label,
            }),
          )
        return { key: view(row, env) }
      })
    },

    async revoke(project: Project, keyId: string, actor: Actor): Promise<{ deleted: true }> {
      const hash = await store.change(project.id, async (transaction) => {
        const revoked = await store.in(transaction).revokeKey(project.id, keyId, timestamp(clock))
        if (!revoked) throw new ApiError('key_not_found')
        await recordRevoked(transaction, revoked.hash)
        const environments = await store.in(transaction).environments(project.id)
        const env = environments.find(({ id }) => id === revoked.environmentId)?.name as Environment['name']
        const changed = { projectId: project.id, name: env }
        const details = { type: revoked.type, last4: revoked.last4 }
        await audit.record(transaction, changeIn(changed, actor, 'key.revoke', keyId, details))
        return revoked.hash
      })
      await forget([hash])
      return { deleted: true }
    },

    /** Records the use of a secret key in a browser once per day; the request is not blocked (GEN-47). */
    async warnOfUseInBrowser({ id, environment }: KeyHolder, origin: string) {
      const { count } = await counters.hit(`key-in-browser:${id}`, DAY_MS)
      if (count > 1) return
      const actor = { type: 'system', id: 'edge', label: 'the service' } as const
      await store.change(environment.projectId, (transaction) =>
        audit.record(transaction, changeIn(environment, actor, 'key.used_in_browser', id, { origin })),
      )
    },

    async recordUse() {
      const due = [...used]
      used.clear()
      for (const [id, at] of due) await store.recordKeyUse(id, at.toISOString())
    },
  }
}

const view = (row: KeyRow, environment: Environment['name']): KeyView => ({
  id: row.id,
  type: row.type as KeyType,
  environment,
  label: row.label,
  last4: row.last4,
  plaintext: row.plaintext,
  createdAt: row.createdAt,
  createdBy: row.createdBy === null ? null : (JSON.parse(row.createdBy) as Actor),
  lastUsedAt: row.lastUsedAt,
})
