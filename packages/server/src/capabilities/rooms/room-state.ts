import { ApiError } from '../../platform/api-error.ts'

export type Patch = Readonly<Record<string, unknown>>

type Entry = { value: unknown; bytes: number }

/** An object that grows by shallow patches, but never beyond its limit in bytes of JSON text (ROM-15). */
export class State {
  readonly #bytesMax: number
  readonly #entries = new Map<string, Entry>()
  #entryBytes = 0

  constructor(bytesMax: number, values: Patch = {}) {
    this.#bytesMax = bytesMax
    this.apply(values)
  }

  get bytes(): number {
    const commas = Math.max(0, this.#entries.size - 1)
    return '{}'.length + this.#entryBytes + commas
  }

  get value(): Record<string, unknown> {
    return Object.fromEntries([...this.#entries].map(([key, { value }]) => [key, value]))
  }

  /** All of it or nothing. */
  apply(patch: Patch) {
    const before = Object.keys(patch).map((key) => [key, this.#entries.get(key)] as const)
    for (const [key, value] of Object.entries(patch)) this.#set(key, entryOf(key, value))
    if (this.bytes <= this.#bytesMax) return

    for (const [key, entry] of before) this.#set(key, entry)
    throw new ApiError('state_too_large', { limit: this.#bytesMax })
  }

  #set(key: string, entry: Entry | undefined) {
    this.#entryBytes += (entry?.bytes ?? 0) - (this.#entries.get(key)?.bytes ?? 0)
    if (entry) this.#entries.set(key, entry)
    else this.#entries.delete(key)
  }
}

function entryOf(key: string, value: unknown): Entry | undefined {
  if (value === null) return undefined
  return { value, bytes: jsonBytes(key) + ':'.length + jsonBytes(value) }
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
