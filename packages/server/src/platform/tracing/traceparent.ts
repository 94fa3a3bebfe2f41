/** Where a trace continues: the header `traceparent` (https://www.w3.org/TR/trace-context/). */
export type RemoteParent = { traceId: string; spanId: string; isSampled: boolean }

const SHAPE = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Undefined for a header that is not valid: the trace then begins here. */
export function readTraceparent(header: unknown): RemoteParent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', spanId = '', flags = '', rest] = SHAPE.exec(header) ?? []
  // Only later versions may have more fields; ff is reserved.
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

/** The header for requests that continue the trace elsewhere. */
export const writeTraceparent = ({ traceId, spanId, isSampled }: RemoteParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
