import type { Source } from './source-text.ts'

/**
 * Groups of files that import each other, directly or through others; imports of types count too, and so does a file that imports
 * itself. Each group is sorted by path.
 */
export function importCyclesOf(sources: readonly Source[]): string[][] {
  const targets = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]))
  return componentsOf(targets)
    .filter((paths) => paths.length > 1 || (targets.get(paths[0] ?? '') ?? []).includes(paths[0] ?? ''))
    .map((paths) => paths.toSorted())
}

/** Strongly connected components (Tarjan). */
function componentsOf(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const order = new Map<string, number>()
  const stack: string[] = []

  function visit(path: string): number {
    let low = order.size
    order.set(path, low)
    stack.push(path)
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low)
    }
    if (low === order.get(path)) found.push(stack.splice(stack.indexOf(path)))
    return low
  }

  for (const path of targets.keys()) if (!order.has(path)) visit(path)
  return found
}
