import { sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { removalBefore } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import {
  deleteBy,
  insertNew,
  insertRow,
  selectBy,
  updateBy,
  upsertRow,
} from '../../engines/database/row-statements.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'

export type { Transaction }
export type FunctionsRow = Tables['functions']
export type VersionRow = Tables['functions_versions']
export type SecretRow = Tables['functions_secrets']
type ResourceRow = Tables['functions_resources']
type SlotRow = Tables['functions_cron_slots']
type MinuteRow = Tables['functions_minutes']
export type RemovalRow = Tables['functions_removals']
export type FunctionsStore = ReturnType<typeof createFunctionsStore>

/** Functions of environments: their versions, secrets, resources, runs of crons and usage. */
export const createFunctionsStore = (db: Database) => ({
  ...functionsOf(db),
  in: functionsOf,
  removeMinutes: (before: number, stopping?: AbortSignal) => removeOld(db, oldMinutes, before, stopping),
  removeStorageHours: (before: number) => removeOld(db, oldStorageHours, before),
  /** What changes the functions of an environment happens one after the other. */
  change: <T>(environmentId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`functions:${environmentId}`, work),
})

/** Larger numbers do not fit into the column of PostgreSQL. */
const VERSION_MAX = 2_147_483_647

const SLOTS_KEPT = 100

type One = { environmentId: string }
type Cron = One & { cron: string }
type Slot = Cron & { slot: number }

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
    removeVersions: (environmentId: string) => queries.run(removeVersions, { environmentId }),
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

    /** False if the storage of this hour is charged already. */
    insertStorageHour: async (environmentId: string, hour: number) =>
      (await queries.run(insertStorageHour, { environmentId, hour })) === 1,

    addRemoval: (row: RemovalRow) => queries.run(addRemoval, row),
    /** Those that were written up to this time. */
    removals: (until: string) => queries.all(listRemovals, { until }),
    forgetRemoval: ({ dataId, blobPrefix }: Omit<RemovalRow, 'createdAt'>) =>
      queries.run(forgetRemoval, { dataId, blobPrefix }),

    /** All rows but those of `removals`. */
    async removeEnvironment(environmentId: string) {
      for (const remove of REMOVE_ALL) await queries.run(remove, { environmentId })
    },
  }
}

const OF_ENVIRONMENT = ['environmentId'] as const
const OF_CRON = ['environmentId', 'cron'] as const
const OF_SLOT = [...OF_CRON, 'slot'] as const

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

const find = selectBy('functions', FUNCTIONS, OF_ENVIRONMENT)
const write = upsertRow('functions', FUNCTIONS, OF_ENVIRONMENT)
const listAll = statement((q) => q.selectFrom('functions').select(['environmentId', 'dataId']))
const listSuspendedByMoney = statement((q) =>
  q.selectFrom('functions').select('projectId').distinct().where('suspendedBy', '=', sql.lit('money')),
)
const listNotSuspended = statement((q) =>
  q.selectFrom('functions').select('projectId').distinct().where('suspendedBy', 'is', null),
)
const ofProject = selectBy('functions', ['environmentId'], ['projectId'])
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

const insertVersion = insertRow('functions_versions', VERSION)
const findVersion = selectBy('functions_versions', VERSION, ['environmentId', 'id'])
const findNumbered = selectBy('functions_versions', VERSION, ['environmentId', 'version'])
const listVersions = statement((q, { environmentId, limit }: One & { limit: number }) =>
  q
    .selectFrom('functions_versions')
    .selectAll()
    .where('environmentId', '=', environmentId)
    .orderBy('version', 'desc')
    .limit(limit),
)
const removeVersion = deleteBy('functions_versions', ['environmentId', 'id'])
const removeVersions = deleteBy('functions_versions', OF_ENVIRONMENT)

const SECRET = ['environmentId', 'name'] as const
const listSecrets = selectBy('functions_secrets', ['name', 'updatedAt'], OF_ENVIRONMENT, ['name'])
const findSecret = selectBy('functions_secrets', ['name', 'updatedAt'], SECRET)
const writeSecret = upsertRow('functions_secrets', [...SECRET, 'updatedAt'], SECRET)
const removeSecret = deleteBy('functions_secrets', SECRET)

const RESOURCE = ['environmentId', 'type', 'id'] as const
const listResources = selectBy('functions_resources', ['type', 'id', 'bytes'], OF_ENVIRONMENT, ['type', 'id'])
const addResource = insertNew('functions_resources', [...RESOURCE, 'bytes', 'createdAt'], RESOURCE)
const setResourceBytes = updateBy('functions_resources', ['bytes'], RESOURCE)
const removeResources = deleteBy('functions_resources', OF_ENVIRONMENT)

const insertSlot = insertNew(
  'functions_cron_slots',
  [...OF_SLOT, 'nodeId', 'startedAt', 'endedAt', 'outcome'],
  OF_SLOT,
)
const endSlot = updateBy('functions_cron_slots', ['endedAt', 'outcome'], OF_SLOT)
const findSlot = selectBy('functions_cron_slots', ['slot'], OF_SLOT)
const findLastSlot = statement((q, { environmentId, cron }: Cron) =>
  q
    .selectFrom('functions_cron_slots')
    .select(['slot', 'nodeId', 'outcome'])
    .where((e) => e.and({ environmentId, cron }))
    .orderBy('slot', 'desc')
    .limit(sql.lit(1)),
)
const removeSlotsAfter = statement((q, { environmentId, cron, slot }: Slot) =>
  q
    .deleteFrom('functions_cron_slots')
    .where((e) => e.and({ environmentId, cron }))
    .where('slot', '>', slot),
)
/** All but the newest 100. */
const removeOldSlots = statement((q, { environmentId, cron }: Cron) =>
  q
    .deleteFrom('functions_cron_slots')
    .where((e) => e.and({ environmentId, cron }))
    .where('slot', '<', (inner) =>
      inner
        .selectFrom('functions_cron_slots as kept')
        .select('kept.slot')
        .where((e) => e.and({ 'kept.environmentId': environmentId, 'kept.cron': cron }))
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
const oldMinutes = removalBefore('functions_minutes', ['minute'], {
  per: 'environmentId',
  unitMs: MINUTE_MS,
})

const STORAGE_HOUR = ['environmentId', 'hour'] as const
const insertStorageHour = insertNew('functions_storage_hours', STORAGE_HOUR, STORAGE_HOUR)
const oldStorageHours = removalBefore('functions_storage_hours', ['hour'], {
  per: 'environmentId',
  unitMs: HOUR_MS,
})

const REMOVAL = ['dataId', 'blobPrefix'] as const
const addRemoval = insertNew('functions_removals', [...REMOVAL, 'createdAt'], REMOVAL)
const listRemovals = statement((q, { until }: { until: string }) =>
  q.selectFrom('functions_removals').select(REMOVAL).where('createdAt', '<=', until),
)
const forgetRemoval = deleteBy('functions_removals', REMOVAL)

const REMOVE_ALL = [
  deleteBy('functions', OF_ENVIRONMENT),
  removeVersions,
  deleteBy('functions_secrets', OF_ENVIRONMENT),
  removeResources,
  deleteBy('functions_cron_slots', OF_ENVIRONMENT),
  deleteBy('functions_minutes', OF_ENVIRONMENT),
  deleteBy('functions_storage_hours', OF_ENVIRONMENT),
]
