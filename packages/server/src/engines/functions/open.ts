import type { FunctionsEngine } from '../../platform/ports/functions-engine.ts'
import type { FunctionsOptions, FunctionsSettings } from './functions.ts'

/** Costs next to nothing until functions are used. */
export async function openFunctions(
  settings: FunctionsSettings,
  options: FunctionsOptions,
): Promise<FunctionsEngine> {
  return (await import('./workerd/engine.ts')).openWorkerd(settings, options)
}
