import { createHash } from 'node:crypto'

/** How tokens, codes and secret keys are stored: they are long and random, so a plain hash suffices. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
