import type { Actor } from '@svc/contract/common/schemas'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type {
  Migration,
  MigrationResult,
  SqlResult,
  SqlValue,
} from '../../platform/ports/functions-engine.ts'
import type { Changes } from './changes.ts'
import type { Owners } from './owners/owners.ts'
import type { States } from './states.ts'

type DatabaseDeps = { states: States; owners: Pick<Owners, 'call'>; change: Changes }
export type Databases = ReturnType<typeof createDatabases>

/** SQL of a developer in a database of the functions. It runs in the process of the environment, like all code of developers. */
export function createDatabases({ states, owners, change }: DatabaseDeps) {
  async function databaseId(environment: Environment, binding: string, id?: string): Promise<string> {
    const state = await states.read(environment.id)
    if (!state || state.enabledAt === null) throw new ApiError('functions_disabled')
    if (id !== undefined) return id
    for (const each of state.live?.manifest.bindings ?? [])
      if (each.type === 'db' && each.name === binding) return each.id
    throw new ApiError('binding_not_found')
  }

  return {
    async query(
      environment: Environment,
      actor: Actor,
      binding: string,
      { sql, params = [] }: { sql: string; params?: unknown[] },
    ): Promise<SqlResult> {
      const args = { databaseId: await databaseId(environment, binding), sql, params: params.map(sqlValue) }
      const result = await owners.call(environment.id, 'query', args)
      const { rowsWritten } = result.meta
      const entry = { action: 'functions.query', target: binding, details: { rowsWritten } }
      if (rowsWritten > 0) await change(environment, actor, async () => entry)
      return result
    },

    async migrate(
      environment: Environment,
      actor: Actor,
      binding: string,
      { migrations, table, id }: { migrations: Migration[]; table?: string; id?: string },
    ): Promise<MigrationResult> {
      const names = migrations.map(({ name }) => name)
      const twice = names.findIndex((name, index) => names.indexOf(name) < index)
      if (twice >= 0) throw invalidField(`$.migrations[${twice}].name`, 'occurs twice')
      const args = {
        databaseId: await databaseId(environment, binding, id),
        migrations,
        ...(table !== undefined && { table }),
      }
      const result = await owners.call(environment.id, 'migrate', args)
      const { applied, failed } = result
      const details = { applied: applied.slice(0, 20), failed: failed.map(({ name }) => name) }
      const entry = { action: 'functions.migrate', target: binding, details }
      if (applied.length > 0 || failed.length > 0) await change(environment, actor, async () => entry)
      return result
    },
  }
}

function sqlValue(value: unknown, index: number): SqlValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const base64 = (value as { $base64?: unknown }).$base64
  if (typeof base64 === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return { $base64: base64 }
  throw invalidField(`$.params[${index}]`, 'must be null, true, false, a number, text or { "$base64": "…" }')
}
