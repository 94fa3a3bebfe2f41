/** The part that we use; the published types lack `preferred`. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string> })
    /** The encodings that the client accepts, best first; `preferred` orders encodings of equal weight. */
    encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
  }
}
