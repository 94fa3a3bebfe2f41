/** JSON that is text already and leaves as it is: parsing and writing it again would be a third of a small answer's cost. */
export class RawJson {
  readonly text: string
  /** The same tag means the same bytes; the edge answers 304 to whoever has them. */
  readonly etag: string | undefined

  constructor(text: string, etag?: string) {
    this.text = text
    this.etag = etag
  }
}

/** An object of which some members are JSON text already, and stay as they are. */
export const rawObject = (members: Record<string, unknown>): RawJson =>
  new RawJson(
    `{${Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(value)}`)
      .join()}}`,
  )

export const rawList = (texts: readonly string[]): RawJson => new RawJson(`[${texts.join()}]`)

const jsonOf = (value: unknown): string => (value instanceof RawJson ? value.text : JSON.stringify(value))
