import type { CardFile, InputFile } from './card-inputs.ts'

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
export type Drawing =
  | { isDrawn: true; png: Uint8Array; problems: { file: CardFile; message: string }[] }
  | { isDrawn: false; png: Uint8Array; reason: 'off' | 'busy' | 'timeout' | 'crashed' | 'closed' }

/** Throws only the errors of `InputFile.read`. */
export type Draw = (card: Card) => Promise<Drawing>

/** Whether the same card would most likely fail again. */
export const isLasting = (drawing: Drawing): boolean =>
  !drawing.isDrawn && (drawing.reason === 'timeout' || drawing.reason === 'crashed')
