/** JSON that is text already and leaves as it is: parsing and writing it again would be a third of a small answer's cost. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
