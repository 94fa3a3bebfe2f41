import { RID_LENGTH_MAX } from '@svc/contract/realtime/realtime'

const BEGINNING = Buffer.from('{"t":"ping","rid":')
const AT = BEGINNING.indexOf('p')
const BYTES_MAX = BEGINNING.length + RID_LENGTH_MAX + 3
const PING = /^\{"t":"ping","rid":(\d{1,15}|"[\w-]{1,64}")\}$/

/** The `rid` of a ping, as JSON. Undefined for any other frame, and for a ping that is written in another way: that is a request. */
export function ridOfPing(payload: Buffer): string | undefined {
  if (payload.length > BYTES_MAX || payload[AT] !== BEGINNING[AT]) return undefined
  return PING.exec(payload.toString('latin1'))?.[1]
}
