import type { Actor } from '@svc/contract/common/schemas'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type {
  Migration,
  MigrationResult,
  Running,
  SqlResult,
  SqlValue,
} from '../../platform/ports/functions-engine.ts'
import type { Owners } from './owners.ts'
import type { Audit } from './ports.ts'
import type { States } from './states.ts'
import type { FunctionsStore } from './store.ts'

export type DatabaseDeps = { states: States; owners: Pick<Owners, 'run'>; audit: Audit }
export type Databases = ReturnType<typeof createDatabases>

type QueryArgs = { databaseId: string; sql: string; params: SqlValue[] }
type MigrateArgs = { databaseId: string; migrations: Migration[]; table?: string }

/** On the owner. */
export const runQuery = (running: Running, { databaseId, sql, params }: QueryArgs) =>
  running.query(databaseId, sql, params)
export const runMigrations = (running: Running, { databaseId, migrations, table }: MigrateArgs) =>
  running.migrate(databaseId, migrations, table)

/** SQL of a developer in a database of the functions. It runs in the process of the environment, like all code of developers. */
export function createDatabases(store: FunctionsStore, { states, owners, audit }: DatabaseDeps) {
  async function databaseId(environment: Environment, binding: string): Promise<string> {
    const state = await states.read(environment.id)
    if (!state || state.enabledAt === null) throw new ApiError('functions_disabled')
    for (const each of state.live?.manifest.bindings ?? [])
      if (each.type === 'db' && each.name === binding) return each.id
    throw new ApiError('binding_not_found')
  }

  const record = (environment: Environment, actor: Actor, action: string, target: string, details: object) =>
    store.change(environment.id, (transaction) =>
      audit.record(transaction, {
        projectId: environment.projectId,
        env: environment.name,
        actor,
        action,
        target,
        details: { ...details },
      }),
    )

  return {
    async query(
      environment: Environment,
      actor: Actor,
      binding: string,
      { sql, params = [] }: { sql: string; params?: unknown[] },
    ): Promise<SqlResult> {
      const args = { databaseId: await databaseId(environment, binding), sql, params: params.map(sqlValue) }
      const result = await owners.run<SqlResult>(environment.id, {
        name: 'query',
        args,
        run: (running) => runQuery(running, args),
      })
      const { rowsWritten } = result.meta
      if (rowsWritten > 0) await record(environment, actor, 'functions.query', binding, { rowsWritten })
      return result
    },

    async migrate(
      environment: Environment,
      actor: Actor,
      binding: string,
      { migrations, table }: { migrations: Migration[]; table?: string },
    ): Promise<MigrationResult> {
      const names = migrations.map(({ name }) => name)
      const twice = names.findIndex((name, index) => names.indexOf(name) < index)
      if (twice >= 0) throw invalidField(`$.migrations[${twice}].name`, 'occurs twice')
      const args = {
        databaseId: await databaseId(environment, binding),
        migrations,
        ...(table !== undefined && { table }),
      }
      const result = await owners.run<MigrationResult>(environment.id, {
        name: 'migrate',
        args,
        run: (running) => runMigrations(running, args),
      })
      const { applied, failed } = result
      if (applied.length > 0 || failed.length > 0)
        await record(environment, actor, 'functions.migrate', binding, {
          applied: applied.slice(0, 20),
          failed: failed.map(({ name }) => name),
        })
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
