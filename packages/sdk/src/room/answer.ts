import { append, bytesOf, stringify } from './intrinsics.ts'

/** What a room sends in one turn besides its states. */
export const TURN_MESSAGES_MAX = 256
/** The bytes of all that the code sends in one turn besides the states. */
export const TURN_BYTES_MAX = 256 * 1024

/** Written when the changes of the turn are known. */
type LatePayload = () => string
type Line = { head: string; payload: string | LatePayload }

/**
 * What a room answers to one turn: for each line `[kind, target]` in the head of the message, and a payload. The states come first,
 * everything else in the order in which the code did it.
 */
export class Answer {
  #lines: Line[] = []
  #messages = 0
  #bytes = 0
  #isClosed = false

  /** `target` is JSON. */
  add(kind: string, target: string, payload: string | LatePayload) {
    if (!this.#isClosed) append(this.#lines, { head: `["${kind}",${target}]`, payload })
  }

  /** Adds what the code sends, which has limits. */
  addSent(kind: string, target: string, payload: string) {
    if (kind === 'msg' && ++this.#messages > TURN_MESSAGES_MAX)
      throw new Error(
        `A room can send ${TURN_MESSAGES_MAX} messages in one turn: send fewer, or larger ones.`,
      )
    const bytes = bytesOf(payload)
    if (this.#bytes + bytes > TURN_BYTES_MAX)
      throw new Error(`A room can send ${TURN_BYTES_MAX / 1024} KB in one turn: send less.`)
    this.#bytes += bytes
    this.add(kind, target, payload)
  }

  /** Drops everything. The code may still run, but nothing that it does is sent any more. */
  close() {
    this.#lines = []
    this.#isClosed = true
  }

  /** The text of the answer, with `states` first. Afterwards the answer is empty. */
  take(states: Answer): { head: string; lines: string } {
    let head = ''
    let lines = ''
    const lists = [states.#lines, this.#lines]
    for (let list = 0; list < 2; list++) {
      const all = lists[list] ?? []
      for (let at = 0; at < all.length; at++) {
        const line = all[at] as Line
        head += head === '' ? line.head : `,${line.head}`
        lines += `${typeof line.payload === 'string' ? line.payload : line.payload()}\n`
      }
    }
    this.#lines = []
    this.#messages = 0
    this.#bytes = 0
    return { head, lines }
  }
}

/** Any value as JSON; null for what JSON leaves out. Throws for what it cannot say. */
export const jsonOf = (value: unknown): string => (stringify(value) as string | undefined) ?? 'null'
