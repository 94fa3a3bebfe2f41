import { ApiError } from '../../platform/api-error.ts'
import { copyOf } from '../../platform/memory/copied-text.ts'

/** Keys and the JSON text of their values, each key once; the text `null` deletes its key. */
export type Patch = readonly (readonly [key: string, text: string])[]

/**
 * An object that is changed by shallow patches, with a limit in bytes of JSON text (ROM-15). Its values are not parsed: their texts
 * are stored as they were sent.
 */
export class State {
  readonly #bytesMax: number
  readonly #texts = new Map<string, string>()
  #memberBytes = 0

  constructor(bytesMax: number, values: Patch = []) {
    this.#bytesMax = bytesMax
    this.apply(values)
  }

  get bytes(): number {
    const commas = Math.max(0, this.#texts.size - 1)
    return '{}'.length + this.#memberBytes + commas
  }

  /** The object as JSON text. */
  get text(): string {
    return this.#texts.size === 0 ? '{}' : objectText([...this.#texts])
  }

  get entries(): Patch {
    return [...this.#texts]
  }

  /** Applies the whole patch, or throws and changes nothing. */
  apply(patch: Patch) {
    const before = patch.map(([key]) => [key, this.#texts.get(key)] as const)
    for (const [key, text] of patch) this.#set(key, text === 'null' ? undefined : text)
    if (this.bytes <= this.#bytesMax) return

    for (const [key, text] of before) this.#set(key, text)
    throw new ApiError('state_too_large', { limit: this.#bytesMax })
  }

  #set(key: string, text: string | undefined) {
    const former = this.#texts.get(key)
    if (former !== undefined) this.#memberBytes -= bytesOf(key, former)
    if (text === undefined) return void this.#texts.delete(key)
    this.#memberBytes += bytesOf(key, text)
    this.#texts.set(copyOf(key), copyOf(text))
  }
}

export const objectText = (members: Patch): string =>
  `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join()}}`

const bytesOf = (key: string, text: string): number =>
  Buffer.byteLength(JSON.stringify(key)) + ':'.length + Buffer.byteLength(text)
