import type { FunctionLogLine } from '@svc/contract/functions'

import type { Environment } from '../../platform/environment.ts'
import type { FunctionLogQuery } from '../../platform/ports/functions-engine.ts'
import type { Owners } from './owners/owners.ts'
import type { FunctionsStore } from './store.ts'

export type Logs = ReturnType<typeof createLogs>

/** What the code has written with `console`, and its errors; kept by the engine of the owner. */
export function createLogs(store: FunctionsStore, owners: Pick<Owners, 'call'>) {
  return async (
    { id }: Environment,
    { after, level, q, limit = 100 }: Partial<FunctionLogQuery>,
  ): Promise<{ lines: FunctionLogLine[]; next: string | null }> => {
    const row = await store.find(id)
    if (!row) return { lines: [], next: null }
    const query: FunctionLogQuery = {
      limit,
      ...(after !== undefined && { after }),
      ...(level && { level }),
      ...(q && { q }),
    }
    const lines = await owners.call(id, 'logs', { dataId: row.dataId, query })
    return { lines, next: lines.at(-1)?.id ?? after ?? null }
  }
}
