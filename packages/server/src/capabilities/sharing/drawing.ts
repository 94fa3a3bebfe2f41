/** The files of a deployment that a card can use. */
export type CardFile = 'background' | 'font'
/** A file of a card, which is read only if the drawing needs it. `read` returns null if it was removed. */
export type InputFile = { sha256: string; read(): Promise<Uint8Array | null> }

/** All inputs of one picture, for the card engine. */
export type Card = {
  environmentId: string
  templateVersion: 1
  kind: 'default' | 'plain' | 'score' | 'challenge'
  title: string | null
  score: number | null
  displayName: string | null
  language: string
  theme: { background: string; accent: string; text: string }
  background: InputFile | null
  font: InputFile | null
}

/** A PNG of 1200x600: the card, or a simple fallback that must not be stored. */
export type Drawing = { png: Uint8Array; problems: { file: CardFile; message: string }[] } & (
  | { isDrawn: true }
  | { isDrawn: false; reason: 'off' | 'busy' | 'timeout' | 'crashed' | 'closed' }
)

/** Throws only the errors of `InputFile.read`. */
export type Draw = (card: Card) => Promise<Drawing>

/** Whether the same card would most likely fail again. */
export const isLasting = (drawing: Drawing): boolean =>
  !drawing.isDrawn && (drawing.reason === 'timeout' || drawing.reason === 'crashed')
