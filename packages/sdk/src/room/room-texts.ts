import type { CodeHost } from './code-host.ts'
import { bytesOf } from './intrinsics.ts'
import type { Seat } from './seats.ts'

/** The texts that contain a whole state. They are written after the changes of a turn are known, from what was sent. */

/** What a player needs who joins, or is connected again. */
export const viewText = (host: CodeHost, seat: Seat): string =>
  `{"state":${host.state.text},"own":${seat.tracked.text}}`

/** What another process needs to continue the room. */
export const snapshotText = (host: CodeHost, saved: string): string =>
  `{"state":${host.state.text},"own":${ownText(host)},"saved":${saved},"random":${host.randomText},"tick":${host.tick},"wakeAt":${host.wakesAt}}`

/** What the developer sees of the room. */
export const inspectText = (host: CodeHost): string =>
  `{"tick":${host.tick},"stateBytes":${bytesOf(host.state.text)},"state":${host.state.text},"own":${ownText(host)}}`

function ownText({ seats }: CodeHost): string {
  let text = ''
  for (let at = 0; at < seats.all.length; at++) {
    const seat = seats.all[at] as Seat
    text += `${at === 0 ? '' : ','}${seat.name}:${seat.tracked.text}`
  }
  return `{${text}}`
}
