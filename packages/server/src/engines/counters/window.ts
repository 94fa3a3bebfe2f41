/** The window of this moment: its number, counted from the beginning of the clock, and its remaining time. */
export function currentWindow(nowMs: number, windowMs: number) {
  const index = Math.floor(nowMs / windowMs)
  return { index, resetsInMs: (index + 1) * windowMs - nowMs }
}
