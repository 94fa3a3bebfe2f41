import type { SandboxLevel } from '../platform/ports/functions-engine.ts'
import type { Foundation } from './foundation.ts'

/**
 * How functions run on this node. `none`: the operator does not offer them, this machine cannot run them, or the nodes share no
 * folder.
 */
export async function functionsLevel({
  unavailable,
  cluster,
  settings,
  functions,
}: Pick<Foundation, 'unavailable' | 'cluster' | 'settings' | 'functions'>): Promise<SandboxLevel> {
  if (unavailable.has('functions'))
    return { level: 'none', reason: 'SVC_UNAVAILABLE_FEATURES contains functions' }
  if (cluster.shared && !settings.functions.isShared)
    return { level: 'none', reason: 'several nodes need FUNCTIONS_DIR and SVC_NODE_URL' }
  return functions.level()
}
