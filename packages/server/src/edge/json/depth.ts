import { endOfString } from './raw-member.ts'

const QUOTE = 0x22

/** Whether JSON is nested deeper than `levels`. Fast for nearly all texts: they are too short for it, or have too few brackets. */
export const isDeeperThan = (text: string, levels: number): boolean =>
  text.length > 2 * levels && hasMoreBrackets(text, levels) && depthOf(text) > levels

/** Whether a text has more than `most` opening brackets; those in strings count, too. */
export function hasMoreBrackets(text: string, most: number): boolean {
  let count = 0
  for (const bracket of '{[')
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > most) return true
  return false
}

/** Not recursive: a text of 2 MiB may have a million levels. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // `[` and `]`, `{` and `}` differ in one bit only.
    const kind = code & ~0x20
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (kind === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (kind === 0x5d) depth--
  }
  return deepest
}
