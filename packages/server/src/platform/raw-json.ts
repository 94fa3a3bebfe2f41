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
