/** What waits, and for which environment. */
export type InTurn = { readonly environmentId: string }

/**
 * Waiting work, served in turn by environment: one of each, then again. An item is behind what its own environment asked for
 * before, and behind at most as many of each other one.
 */
export class Turns<Item extends InTurn> {
  /** The first is the next in turn. Environments without waiting work have no line. */
  readonly #lines = new Map<string, Item[]>()
  readonly #max: number
  #size = 0

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#size
  }

  /** If too many wait, the newest of the environment with the most is refused: it is removed and returned. */
  add(item: Item): Item | undefined {
    const line = this.#lines.get(item.environmentId) ?? []
    if (line.length === 0) this.#lines.set(item.environmentId, line)
    line.push(item)
    this.#size++
    return this.#size > this.#max ? this.#refuseNewest(line) : undefined
  }

  /** Takes the oldest item of the next environment that may have a turn; that environment is the last in turn then. */
  take(mayHaveTurn: (environmentId: string) => boolean = () => true): Item | undefined {
    for (const [environmentId, line] of this.#lines) {
      if (!mayHaveTurn(environmentId)) continue
      const item = line.shift()
      this.#size--
      this.#lines.delete(environmentId)
      if (line.length > 0) this.#lines.set(environmentId, line)
      return item
    }
    return undefined
  }

  /** For work that no longer waits, for example because its time is over. */
  remove(item: Item): void {
    const line = this.#lines.get(item.environmentId)
    const at = line?.indexOf(item) ?? -1
    if (!line || at < 0) return
    line.splice(at, 1)
    this.#size--
    if (line.length === 0) this.#lines.delete(item.environmentId)
  }

  takeAll(): Item[] {
    const items = [...this.#lines.values()].flat()
    this.#lines.clear()
    this.#size = 0
    return items
  }

  /** Of the longest line; of that of the new one, if no other is longer. */
  #refuseNewest(ofNewOne: Item[]): Item | undefined {
    let longest = ofNewOne
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line
    const refused = longest.at(-1)
    if (refused) this.remove(refused)
    return refused
  }
}
