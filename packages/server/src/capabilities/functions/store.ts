import { sql } from 'kysely'

import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'

export type { Transaction }
export type FunctionsRow = Tables['functions']
export type VersionRow = Tables['functions_versions']
export type SecretRow = Tables['functions_secrets']
export type ResourceRow = Tables['functions_resources']
export type SlotRow = Tables['functions_cron_slots']
export type MinuteRow = Tables['functions_minutes']
export type RemovalRow = Tables['functions_removals']
export type FunctionsStore = ReturnType<typeof createFunctionsStore>

export const createFunctionsStore = (db: Database) => ({
  ...functionsOf(db),
  in: functionsOf,
  /** What changes the functions of an environment happens one after the other. */
  change: <T>(environmentId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`functions:${environmentId}`, work),
})

/** Larger numbers do not fit into the column of PostgreSQL. */
const VERSION_MAX = 2_147_483_647

const SLOTS_KEPT = 100

type One = { environmentId: string }
type OneVersion = One & { id: string }
type Slot = One & { cron: string; slot: number }

function functionsOf(queries: Queries) {
  return {
    find: (environmentId: string) => queries.first(find, { environmentId }),
    write: (row: FunctionsRow) => queries.run(write, row),
    all: () => queries.all(listAll, {}),
    /** Projects with functions that are suspended for money. */
    suspendedByMoney: () => queries.all(listSuspendedByMoney, {}),
    /** Projects with functions that nobody has suspended. */
    notSuspended: () => queries.all(listNotSuspended, {}),
    ofProject: (projectId: string) => queries.all(ofProject, { projectId }),
    /** Those that may run: enabled, not suspended, with live code. */
    runnable: () => queries.all(listRunnable, {}),

    insertVersion: (row: VersionRow) => queries.run(insertVersion, row),
    version: (environmentId: string, id: string) => queries.first(findVersion, { environmentId, id }),
    versionNumbered: async (environmentId: string, version: number) =>
      version > VERSION_MAX ? undefined : queries.first(findNumbered, { environmentId, version }),
    versions: (environmentId: string, limit: number) => queries.all(listVersions, { environmentId, limit }),
    removeVersion: (environmentId: string, id: string) => queries.run(removeVersion, { environmentId, id }),

    secrets: (environmentId: string) => queries.all(listSecrets, { environmentId }),
    secret: (environmentId: string, name: string) => queries.first(findSecret, { environmentId, name }),
    writeSecret: (row: SecretRow) => queries.run(writeSecret, row),
    removeSecret: (environmentId: string, name: string) => queries.run(removeSecret, { environmentId, name }),

    resources: (environmentId: string) => queries.all(listResources, { environmentId }),
    addResource: (row: ResourceRow) => queries.run(addResource, row),
    setResourceBytes: (row: Omit<ResourceRow, 'createdAt'>) => queries.run(setResourceBytes, row),
    removeResources: (environmentId: string) => queries.run(removeResources, { environmentId }),

    /** False if another node has inserted the slot. */
    insertSlot: async (row: SlotRow) => (await queries.run(insertSlot, row)) === 1,
    endSlot: (end: Slot & { endedAt: string; outcome: string }) => queries.run(endSlot, end),
    slot: ({ environmentId, cron, slot }: Slot) => queries.first(findSlot, { environmentId, cron, slot }),
    lastSlot: (environmentId: string, cron: string) => queries.first(findLastSlot, { environmentId, cron }),
    /** Returns how many there were. */
    removeSlotsAfter: (environmentId: string, cron: string, slot: number) =>
      queries.run(removeSlotsAfter, { environmentId, cron, slot }),
    removeOldSlots: (environmentId: string, cron: string) =>
      queries.run(removeOldSlots, { environmentId, cron }),

    /** Adds to what is stored of this minute; nothing for an environment that was removed. */
    addMinute: (row: MinuteRow) => queries.run(addMinute, row),
    minutes: (environmentId: string, since: number) => queries.all(listMinutes, { environmentId, since }),
    removeMinutes: (before: number) => queries.run(removeMinutes, { before }),

    /** False if the storage of this hour is charged already. */
    insertStorageHour: async (environmentId: string, hour: number) =>
      (await queries.run(insertStorageHour, { environmentId, hour })) === 1,
    removeStorageHours: (before: number) => queries.run(removeStorageHours, { before }),

    addRemoval: (row: RemovalRow) => queries.run(addRemoval, row),
    /** Those that were written up to this time. */
    removals: (until: string) => queries.all(listRemovals, { until }),
    forgetRemoval: ({ dataId, blobPrefix }: Omit<RemovalRow, 'createdAt'>) =>
      queries.run(forgetRemoval, { dataId, blobPrefix }),

    /** All rows but those of `removals`. */
    async removeEnvironment(environmentId: string) {
      for (const remove of REMOVE_ALL) await queries.run(remove, { environmentId })
    },
    async removeVersions(environmentId: string) {
      await queries.run(removeVersions, { environmentId })
    },
  }
}

const FUNCTIONS = [
  'environmentId',
  'projectId',
  'enabledAt',
  'suspendedAt',
  'suspendedBy',
  'cpuMs',
  'subRequests',
  'lastVersion',
  'liveVersionId',
  'generation',
  'dataId',
  'updatedAt',
] as const
const VERSION = [
  'environmentId',
  'id',
  'version',
  'message',
  'blobKey',
  'bytes',
  'actor',
  'createdAt',
  'manifest',
] as const

const find = statement((q, { environmentId }: One) =>
  q.selectFrom('functions').selectAll().where('environmentId', '=', environmentId),
)
const write = statement((q, row: FunctionsRow) =>
  q
    .insertInto('functions')
    .values(columns(row, FUNCTIONS))
    .onConflict((conflict) => conflict.column('environmentId').doUpdateSet(columns(row, FUNCTIONS))),
)
const listAll = statement((q) => q.selectFrom('functions').select(['environmentId', 'dataId']))
const listSuspendedByMoney = statement((q) =>
  q.selectFrom('functions').select('projectId').distinct().where('suspendedBy', '=', sql.lit('money')),
)
const listNotSuspended = statement((q) =>
  q.selectFrom('functions').select('projectId').distinct().where('suspendedBy', 'is', null),
)
const ofProject = statement((q, { projectId }: { projectId: string }) =>
  q.selectFrom('functions').selectAll().where('projectId', '=', projectId),
)
const listRunnable = statement((q) =>
  q
    .selectFrom('functions')
    .innerJoin('functions_versions', (join) =>
      join
        .onRef('functions_versions.environmentId', '=', 'functions.environmentId')
        .onRef('functions_versions.id', '=', 'functions.liveVersionId'),
    )
    .select([
      'functions.environmentId',
      'functions.dataId',
      'functions.updatedAt',
      'functions_versions.manifest',
    ])
    .where('functions.enabledAt', 'is not', null)
    .where('functions.suspendedAt', 'is', null),
)

const insertVersion = statement((q, row: VersionRow) =>
  q.insertInto('functions_versions').values(columns(row, VERSION)),
)
const findVersion = statement((q, { environmentId, id }: OneVersion) =>
  q
    .selectFrom('functions_versions')
    .selectAll()
    .where('environmentId', '=', environmentId)
    .where('id', '=', id),
)
const findNumbered = statement((q, { environmentId, version }: One & { version: number }) =>
  q
    .selectFrom('functions_versions')
    .selectAll()
    .where('environmentId', '=', environmentId)
    .where('version', '=', version),
)
const listVersions = statement((q, { environmentId, limit }: One & { limit: number }) =>
  q
    .selectFrom('functions_versions')
    .selectAll()
    .where('environmentId', '=', environmentId)
    .orderBy('version', 'desc')
    .limit(limit),
)
const removeVersion = statement((q, { environmentId, id }: OneVersion) =>
  q.deleteFrom('functions_versions').where('environmentId', '=', environmentId).where('id', '=', id),
)
const removeVersions = statement((q, { environmentId }: One) =>
  q.deleteFrom('functions_versions').where('environmentId', '=', environmentId),
)

const listSecrets = statement((q, { environmentId }: One) =>
  q
    .selectFrom('functions_secrets')
    .select(['name', 'updatedAt'])
    .where('environmentId', '=', environmentId)
    .orderBy('name'),
)
const findSecret = statement((q, { environmentId, name }: One & { name: string }) =>
  q
    .selectFrom('functions_secrets')
    .select(['name', 'updatedAt'])
    .where('environmentId', '=', environmentId)
    .where('name', '=', name),
)
const writeSecret = statement((q, row: SecretRow) =>
  q
    .insertInto('functions_secrets')
    .values(columns(row, ['environmentId', 'name', 'updatedAt']))
    .onConflict((conflict) =>
      conflict.columns(['environmentId', 'name']).doUpdateSet(columns(row, ['updatedAt'])),
    ),
)
const removeSecret = statement((q, { environmentId, name }: One & { name: string }) =>
  q.deleteFrom('functions_secrets').where('environmentId', '=', environmentId).where('name', '=', name),
)

const listResources = statement((q, { environmentId }: One) =>
  q
    .selectFrom('functions_resources')
    .select(['type', 'id', 'bytes'])
    .where('environmentId', '=', environmentId)
    .orderBy('type')
    .orderBy('id'),
)
const addResource = statement((q, row: ResourceRow) =>
  q
    .insertInto('functions_resources')
    .values(columns(row, ['environmentId', 'type', 'id', 'bytes', 'createdAt']))
    .onConflict((conflict) => conflict.columns(['environmentId', 'type', 'id']).doNothing()),
)
const setResourceBytes = statement((q, { environmentId, type, id, bytes }: Omit<ResourceRow, 'createdAt'>) =>
  q
    .updateTable('functions_resources')
    .set({ bytes })
    .where('environmentId', '=', environmentId)
    .where('type', '=', type)
    .where('id', '=', id),
)
const removeResources = statement((q, { environmentId }: One) =>
  q.deleteFrom('functions_resources').where('environmentId', '=', environmentId),
)

const insertSlot = statement((q, row: SlotRow) =>
  q
    .insertInto('functions_cron_slots')
    .values(columns(row, ['environmentId', 'cron', 'slot', 'nodeId', 'startedAt', 'endedAt', 'outcome']))
    .onConflict((conflict) => conflict.columns(['environmentId', 'cron', 'slot']).doNothing()),
)
const endSlot = statement((q, end: Slot & { endedAt: string; outcome: string }) =>
  q
    .updateTable('functions_cron_slots')
    .set({ endedAt: end.endedAt, outcome: end.outcome })
    .where('environmentId', '=', end.environmentId)
    .where('cron', '=', end.cron)
    .where('slot', '=', end.slot),
)
const findSlot = statement((q, { environmentId, cron, slot }: Slot) =>
  q
    .selectFrom('functions_cron_slots')
    .select('slot')
    .where('environmentId', '=', environmentId)
    .where('cron', '=', cron)
    .where('slot', '=', slot),
)
const findLastSlot = statement((q, { environmentId, cron }: One & { cron: string }) =>
  q
    .selectFrom('functions_cron_slots')
    .select(['slot', 'nodeId', 'startedAt', 'outcome'])
    .where('environmentId', '=', environmentId)
    .where('cron', '=', cron)
    .orderBy('slot', 'desc')
    .limit(sql.lit(1)),
)
const removeSlotsAfter = statement((q, { environmentId, cron, slot }: One & { cron: string; slot: number }) =>
  q
    .deleteFrom('functions_cron_slots')
    .where('environmentId', '=', environmentId)
    .where('cron', '=', cron)
    .where('slot', '>', slot),
)
/** All but the newest 100. */
const removeOldSlots = statement((q, { environmentId, cron }: One & { cron: string }) =>
  q
    .deleteFrom('functions_cron_slots')
    .where('environmentId', '=', environmentId)
    .where('cron', '=', cron)
    .where('slot', '<', (inner) =>
      inner
        .selectFrom('functions_cron_slots as kept')
        .select('kept.slot')
        .where('kept.environmentId', '=', environmentId)
        .where('kept.cron', '=', cron)
        .orderBy('kept.slot', 'desc')
        .limit(sql.lit(1))
        .offset(sql.lit(SLOTS_KEPT - 1)),
    ),
)

const addMinute = statement((q, row: MinuteRow) =>
  q
    .insertInto('functions_minutes')
    .columns(['environmentId', 'minute', 'requests', 'errors', 'cpuMs'])
    .expression((inner) =>
      inner
        .selectFrom('functions')
        .select([
          'environmentId',
          sql<number>`cast(${row.minute} as bigint)`.as('minute'),
          sql<number>`cast(${row.requests} as bigint)`.as('requests'),
          sql<number>`cast(${row.errors} as bigint)`.as('errors'),
          sql<number>`cast(${row.cpuMs} as bigint)`.as('cpuMs'),
        ])
        .where('environmentId', '=', row.environmentId),
    )
    .onConflict((conflict) =>
      conflict.columns(['environmentId', 'minute']).doUpdateSet((eb) => ({
        requests: eb('functions_minutes.requests', '+', row.requests),
        errors: eb('functions_minutes.errors', '+', row.errors),
        cpuMs: eb('functions_minutes.cpuMs', '+', row.cpuMs),
      })),
    ),
)
const listMinutes = statement((q, { environmentId, since }: One & { since: number }) =>
  q
    .selectFrom('functions_minutes')
    .select(['minute', 'requests', 'errors', 'cpuMs'])
    .where('environmentId', '=', environmentId)
    .where('minute', '>=', since),
)
const removeMinutes = statement((q, { before }: { before: number }) =>
  q.deleteFrom('functions_minutes').where('minute', '<', before),
)

const insertStorageHour = statement((q, { environmentId, hour }: One & { hour: number }) =>
  q
    .insertInto('functions_storage_hours')
    .values({ environmentId, hour })
    .onConflict((conflict) => conflict.columns(['environmentId', 'hour']).doNothing()),
)
const removeStorageHours = statement((q, { before }: { before: number }) =>
  q.deleteFrom('functions_storage_hours').where('hour', '<', before),
)

const addRemoval = statement((q, row: RemovalRow) =>
  q
    .insertInto('functions_removals')
    .values(columns(row, ['dataId', 'blobPrefix', 'createdAt']))
    .onConflict((conflict) => conflict.columns(['dataId', 'blobPrefix']).doNothing()),
)
const listRemovals = statement((q, { until }: { until: string }) =>
  q.selectFrom('functions_removals').select(['dataId', 'blobPrefix']).where('createdAt', '<=', until),
)
const forgetRemoval = statement((q, { dataId, blobPrefix }: { dataId: string; blobPrefix: string }) =>
  q.deleteFrom('functions_removals').where('dataId', '=', dataId).where('blobPrefix', '=', blobPrefix),
)

const REMOVE_ALL = [
  statement((q, { environmentId }: One) =>
    q.deleteFrom('functions').where('environmentId', '=', environmentId),
  ),
  removeVersions,
  statement((q, { environmentId }: One) =>
    q.deleteFrom('functions_secrets').where('environmentId', '=', environmentId),
  ),
  removeResources,
  statement((q, { environmentId }: One) =>
    q.deleteFrom('functions_cron_slots').where('environmentId', '=', environmentId),
  ),
  statement((q, { environmentId }: One) =>
    q.deleteFrom('functions_minutes').where('environmentId', '=', environmentId),
  ),
  statement((q, { environmentId }: One) =>
    q.deleteFrom('functions_storage_hours').where('environmentId', '=', environmentId),
  ),
]
