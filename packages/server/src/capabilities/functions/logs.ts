import type { FunctionLogLine } from '@svc/contract/functions'

import type { Environment } from '../../platform/environment.ts'
import type { FunctionLogQuery, FunctionsEngine } from '../../platform/ports/functions-engine.ts'
import type { Owners } from './owners.ts'
import type { FunctionsStore } from './store.ts'

export type LogDeps = { owners: Pick<Owners, 'run'>; engine: Pick<FunctionsEngine, 'readLogs'> }
export type Logs = ReturnType<typeof createLogs>

/** What the code has written with `console`, and its errors; kept by the engine of the owner. */
export function createLogs(store: FunctionsStore, { owners, engine }: LogDeps) {
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
    const { dataId } = row
    const lines = await owners.run<FunctionLogLine[]>(id, {
      name: 'logs',
      args: { dataId, query },
      run: () => engine.readLogs(dataId, query),
    })
    return { lines, next: lines.at(-1)?.id ?? after ?? null }
  }
}
