import type { Admission, Who } from '../../platform/ports/sfu.ts'
import type { Traffic } from './traffic.ts'

/** What the service and the process of the relay server send each other, as JSON. */

export type ChildSettings = {
  host: string
  port: number
  repairsTurn: boolean
  slots: number
  leaseMs: number
  reportMs: number
}

export type Request =
  | ({ do: 'admit'; offer: string } & Who & Admission)
  | ({ do: 'answer'; sdp: string } & Who)

export type Command =
  | ({ do: 'setCanSpeak'; canSpeak: boolean } & Who)
  | ({ do: 'setSpeaking'; speaking: boolean } & Who)
  | ({ do: 'remove' } & Who)
  /** Removes the member unless a later request than this one has admitted it. */
  | ({ do: 'cancel'; id: number } & Who)
  | { do: 'renew'; callIds: string[] }
  | { do: 'end'; callId: string }

export type ToChild = (Request & { id: number }) | Command

export type Admitted = { answer: string; offer: string }

export type Report = Traffic & {
  calls: number
  members: number
  cpuMs: number
  residentBytes: number
  loopDelayMs: number
  tcpConnections: number
}

export type FromChild =
  | { event: 'ready'; port: number }
  | { event: 'answer'; id: number; value: Admitted | null }
  /** The member's description is at fault. */
  | { event: 'refused'; id: number; problem: string }
  | { event: 'failed'; id: number; reason: string }
  | { event: 'speakers'; callId: string; slots: (string | null)[] }
  | ({ event: 'gone' } & Who)
  | ({ event: 'report' } & Report)
