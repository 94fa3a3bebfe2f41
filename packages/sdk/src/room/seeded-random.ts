const { imul } = Math

/** The state of a sequence of random numbers: four unsigned 32-bit numbers. */
export type RandomState = [a: number, b: number, c: number, counter: number]

/** 128 random bits of the service; a text in tests; a number in rooms that an earlier version of the service has opened. */
export type RandomSeed = RandomState | string | number

/**
 * A sequence of random numbers that a seed decides (sfc32): fast, and its 128 bits of state cannot be guessed from what players see of a
 * shuffled deck. Not for secrets.
 */
export class SeededRandom {
  #a: number
  #b: number
  #c: number
  #counter: number

  constructor(state: RandomState) {
    this.#a = state[0] >>> 0
    this.#b = state[1] >>> 0
    this.#c = state[2] >>> 0
    this.#counter = state[3] >>> 0
  }

  /** The sequence of a seed. A text or a number is hashed; a seed of the service is a state. */
  static of(seed: RandomSeed): SeededRandom {
    const random = new SeededRandom(typeof seed === 'object' ? seed : hashed(`${seed}`))
    // The first numbers still resemble the seed.
    for (let count = 0; count < 12; count++) random.next()
    return random
  }

  /** A number from 0 up to 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) >>> 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }

  /** The state as JSON, from which the sequence continues. */
  text(): string {
    return `[${this.#a >>> 0},${this.#b >>> 0},${this.#c >>> 0},${this.#counter}]`
  }
}

/** Four independent FNV-1a hashes of a text. */
function hashed(text: string): RandomState {
  let a = 2_166_136_261
  let b = 1_779_033_703
  let c = 3_144_134_277
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    a = imul(a ^ unit, 16_777_619)
    b = imul(b ^ unit ^ (a >>> 15), 2_246_822_507)
    c = imul(c ^ unit ^ (b >>> 13), 3_266_489_909)
  }
  return [a, b, c, 1]
}
