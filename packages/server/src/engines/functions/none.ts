import { ApiError } from '../../platform/api-error.ts'
import type { FunctionsEngine } from '../../platform/functions-engine.ts'

/** Where no engine can run code: functions are not available, and `reason` tells the operator why. */
export function createNoFunctions(reason: string): FunctionsEngine {
  const refuse = async (): Promise<never> => {
    throw new ApiError('feature_unavailable', { feature: 'functions' })
  }
  return {
    compatibilityDate: '2026-01-01',
    level: async () => ({ level: 'none', reason }),
    start: refuse,
    trial: refuse,
    storedBytes: async (_dataId, resources) => resources.map(() => 0),
    nextWakeAt: async () => null,
    readLogs: async () => [],
    purge: async () => {},
    abandon: () => {},
    close: async () => {},
  }
}
