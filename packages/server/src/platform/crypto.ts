import { hash } from 'node:crypto'

/** Hash of stored tokens, codes and secret keys: they are long and random, so an unsalted hash suffices. */
export const sha256 = (text: string): string => hash('sha256', text)
