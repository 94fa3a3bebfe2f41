import type { Metric } from '../../platform/metrics/metrics.ts'

/** Colors of a card as `#rrggbb`: `share.images.theme` of the config. */
export type CardTheme = { background: string; accent: string; text: string }

/** What a card shows. `default` is the card of the app itself; it and `plain` have no large line. */
export type CardKind = 'default' | 'plain' | 'score' | 'challenge'

/** A background or font. It is read only if the drawing process does not have it yet. */
export type InputFile = {
  sha256: string
  /** Null if the file is no longer stored: the card is drawn without it. */
  read(): Promise<Uint8Array | null>
}

/** All inputs of one card. The same inputs give the same PNG. */
export type Card = {
  /** Waiting cards are limited per environment. Does not change the picture. */
  environmentId: string
  /** The layout. Links keep the one they were created with. */
  templateVersion: 1
  kind: CardKind
  /** The text of the developer: the engine normalizes it, truncates it, and leaves out characters that no font can draw. */
  title: string | null
  /** For `score` and `challenge`; null with the other kinds. */
  score: number | null
  /** The text of the player, handled like `title`. */
  displayName: string | null
  /** BCP 47 tag: format of the score, and the language of "Beat me". */
  language: string
  theme: CardTheme
  /** A PNG or JPEG. An invalid one is left out. */
  background: InputFile | null
  /** A TTF or OTF. If it is invalid, the built-in font is used. */
  font: InputFile | null
}

/** Why a background or font was left out of a card. */
export type CardProblem = { file: 'background' | 'font'; message: string }

/**
 * `off`: the operator turned cards off. `busy`: too many cards wait. `timeout`: it took too much CPU time, or the host is very busy.
 * `crashed`: the drawing process ended, and so did its replacement. `closed`: the service stops.
 */
export type NotDrawnReason = 'off' | 'busy' | 'timeout' | 'crashed' | 'closed'

/**
 * A 1200x600 PNG: the card, or a fallback that must not be stored or cached. The fallback is the plain card, or after a timeout the
 * card without its files.
 */
export type Drawing =
  | { isDrawn: true; png: Uint8Array; problems: CardProblem[] }
  | { isDrawn: false; png: Uint8Array; problems: CardProblem[]; reason: NotDrawnReason }

/** Draws card images. */
export type Cards = {
  metrics?: readonly Metric[]
  /**
   * Returns a PNG within a bounded time. Throws only the errors of `InputFile.read`.
   *
   * @example
   * const drawing = await cards.draw(card)
   * if (drawing.isDrawn) await store(drawing.png)
   */
  draw(card: Card): Promise<Drawing>
  /** The fallback for a card that is not drawn yet. */
  plain(): Uint8Array
  /** The problem of a background, found without drawing it; undefined if it can be used. */
  backgroundProblem(bytes: Uint8Array): string | undefined
  /** The problem of a font, found without drawing; undefined if it can be used. */
  fontProblem(bytes: Uint8Array): string | undefined
  /** Why the last card could not be drawn; undefined if it could. */
  problem?(): string | undefined
  /** Ends the drawing process. Waiting cards are answered with `closed`. */
  close(): Promise<void>
}

/** `off`: every card is a plain image (SVC_CARDS). */
export type CardSettings = { driver: 'takumi' | 'off' }

/** Size of every card, in pixels. */
export const CARD_SIZE = { width: 1200, height: 600 } as const
