type Leaving = { destroy(): unknown }

const LOOK_EVERY_MS = 1_000

let recent: Leaving[] = []
let earlier: Leaving[] = []
let looking: NodeJS.Timeout | undefined

/** Destroys a peer at the second look from now, so after 1 to 2 s; to one that has left by then it means nothing. One timer for all. */
export function expectFarewell(peer: Leaving): void {
  recent.push(peer)
  looking ??= setInterval(look, LOOK_EVERY_MS).unref()
}

function look(): void {
  for (const peer of earlier) peer.destroy()
  earlier = recent
  recent = []
  if (earlier.length > 0) return
  clearInterval(looking)
  looking = undefined
}
