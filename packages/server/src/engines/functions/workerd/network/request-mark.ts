import type { IncomingMessage, ServerResponse } from 'node:http'

/** Header in which workerd sends and reads what it calls `cf`; it carries the id of a request. */
export const CF_HEADER = 'svc-cf'
/** An HTTP status that no server sends; the wrapper of the code turns it into an error. */
export const REFUSED_STATUS = 520

/** The id of the request that the code handles, and the headers without what workerd added. */
export function stripped({ headers }: IncomingMessage) {
  const { [CF_HEADER]: mark, ...sent } = headers
  delete sent['proxy-connection']
  // Node throws for it where the body has a length, and no trailer is passed on anyway.
  delete sent.trailer
  return { requestId: requestIdOf(mark), headers: sent }
}

function requestIdOf(mark: string | string[] | undefined): string | undefined {
  if (typeof mark !== 'string') return undefined
  try {
    const { svcRequestId } = JSON.parse(mark) as { svcRequestId?: unknown }
    return typeof svcRequestId === 'string' ? svcRequestId : undefined
  } catch {
    return undefined
  }
}

/** For the code: the wrapper throws this text. */
export function refuse(response: ServerResponse, reason: string) {
  response.writeHead(REFUSED_STATUS, { 'svc-egress-refused': headerText(reason) })
  response.end()
}

export const headerText = (reason: string) => reason.replace(/[^\x20-\x7e]/g, '?')
