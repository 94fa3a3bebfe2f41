import { isReachable } from '../developer.ts'

/** Green while data arrives. */
export const LiveDot = ({ isOff = false }: { isOff?: boolean }) => (
  <span class={isOff || !isReachable.value ? 'live-dot is-off' : 'live-dot'} aria-hidden="true" />
)
