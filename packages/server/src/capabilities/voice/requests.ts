import type { SignalKind } from '@svc/contract/realtime/peer-to-peer'

/** A request of a connection to a call. Nodes exchange it as JSON; `data` is JSON text. */
export type CallRequest =
  | { type: 'join'; projectId: string; localAddress: string }
  | { type: 'leave' }
  | { type: 'signal'; to: string; kind: SignalKind; data: string; gen: number | null }
  | { type: 'publish'; sdp: string; localAddress: string }
  | { type: 'answer'; gen: number; sdp: string }
  | { type: 'speaking'; speaking: boolean }

export type RequestOf<Type extends CallRequest['type']> = Extract<CallRequest, { type: Type }>

/** The answer to `publish`: the client gets the offer after its reply. */
export type Published = { sdp: string; gen: number; offer: string }
