import { hash } from 'node:crypto'

/** How tokens, codes and secret keys are stored: they are long and random, so a plain hash suffices. */
export const sha256 = (text: string): string => hash('sha256', text)
