import { type Item, itemOf } from './names.ts'
import type { Stored } from './store.ts'

export type StoredItem = Item & Stored
export type Range = { from: string; to: string }

/** What is read to restore one moment. */
export type Plan = { snapshot: StoredItem; segments: StoredItem[] }

/** What a store contains, in the order in which it was written. */
export function itemsOf(stored: readonly Stored[]): StoredItem[] {
  return stored
    .flatMap((each) => {
      const item = itemOf(each)
      return item ? [{ ...each, ...item }] : []
    })
    .toSorted((one, other) => compare(one.generation, other.generation) || one.number - other.number)
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** The plan for the last moment until `at`; otherwise the times for which there is one. */
export function planFor(stored: readonly Stored[], at: string): Plan | Range[] {
  const chains = chainsOf(itemsOf(stored))
  for (const { from, to, snapshots, segments } of chains) {
    if (at < from || at > to) continue
    const point = segments.findLast((segment) => segment.kind === 'wal' && segment.at <= at)
    const snapshot = snapshots.findLast(({ number }) => point && number <= point.number)
    if (!point || !snapshot) continue
    return {
      snapshot,
      segments: segments.filter(({ number, run }) => run >= snapshot.run && number <= point.number),
    }
  }
  return chains.map(({ from, to }) => ({ from, to }))
}

/** The newest generation, if something of it can be restored and it ends with the last segment. */
export function newestChain(stored: readonly Stored[]) {
  const items = itemsOf(stored)
  const newest = items.findLast(({ kind }) => kind === 'wal' || kind === 'frames')
  const chain = chainsOf(items).at(-1)
  return chain && newest && chain.segments.at(-1)?.name === newest.name ? chain : undefined
}

/** Snapshots with the segments that follow without a gap, oldest first. */
function chainsOf(items: readonly StoredItem[]) {
  return [...Map.groupBy(items, ({ generation }) => generation).values()].flatMap((ofGeneration) => {
    const complete = new Set(ofGeneration.filter(({ kind }) => kind === 'json').map(({ number }) => number))
    const allSegments = ofGeneration.filter(({ kind }) => kind === 'wal' || kind === 'frames')
    const found = ofGeneration.filter(({ kind, number }) => kind === 'sqlite' && complete.has(number))
    const snapshots: StoredItem[] = []
    let segments: StoredItem[] = []
    for (const snapshot of found) {
      const following = unbroken(allSegments.filter(({ run }) => run >= snapshot.run))
      if (!following.some(({ number }) => number === snapshot.number)) continue
      if (snapshots.length === 0) segments = following
      snapshots.push(snapshot)
    }
    const points = segments.filter(({ kind }) => kind === 'wal')
    const from = points.find(({ number }) => number === snapshots[0]?.number)?.at
    const to = points.at(-1)?.at
    return from !== undefined && to !== undefined ? [{ from, to, snapshots, segments }] : []
  })
}

/** The segments until the first one that is missing. */
function unbroken(segments: readonly StoredItem[]): StoredItem[] {
  const first = segments[0]?.number ?? 0
  const gap = segments.findIndex(({ number }, index) => number !== first + index)
  return gap === -1 ? [...segments] : segments.slice(0, gap)
}

/** What may be removed, in this order: interrupted anywhere, every snapshot that counts still has its segments. */
export function removable(
  items: readonly StoredItem[],
  { current, keepFrom, bytesMax }: { current: string; keepFrom: string; bytesMax: number },
): StoredItem[] {
  const snapshots = items.filter(({ kind }) => kind === 'json')
  // A snapshot is needed for the times until the next one.
  let first = snapshots.findIndex((_, index) => (snapshots[index + 1]?.at ?? keepFrom) >= keepFrom)
  while (first < snapshots.length - 1 && bytesOf(neededFrom(items, snapshots[first], current)) > bytesMax)
    first++
  const needed = new Set(neededFrom(items, snapshots[first], current))
  const kinds = ['json', 'sqlite', 'frames', 'wal']
  return items
    .filter((item) => !needed.has(item))
    .toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind))
}

/** What belongs to this snapshot and to later ones. Segments of the current generation may be waiting for their first snapshot. */
function neededFrom(items: readonly StoredItem[], snapshot: StoredItem | undefined, current: string) {
  if (!snapshot) return [...items]
  return items.filter(({ generation, run, number, kind }) => {
    if (generation !== snapshot.generation) return generation > snapshot.generation || generation === current
    return kind === 'json' || kind === 'sqlite' ? number >= snapshot.number : run >= snapshot.run
  })
}

const bytesOf = (items: readonly StoredItem[]) => items.reduce((sum, { bytes }) => sum + bytes, 0)
