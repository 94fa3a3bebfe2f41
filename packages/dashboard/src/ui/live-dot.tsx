import type { ComponentChildren } from 'preact'

import { isReachable } from '../developer.ts'

/** Green while data arrives. */
export const LiveDot = ({ isOff = false }: { isOff?: boolean }) => (
  <span class={isOff || !isReachable.value ? 'live-dot is-off' : 'live-dot'} aria-hidden="true" />
)

/** Beside the title of a page that polls: whether data arrives, in words. */
export const LiveState = ({ isOff, children }: { isOff: boolean; children: ComponentChildren }) => (
  <span class="live-state small soft">
    <LiveDot isOff={isOff} />
    {children}
  </span>
)
