import type { SignalKind } from '@svc/contract/realtime/peer-to-peer'

/** A WebRTC signal for one player. */
export type Signal = { kind: SignalKind; data: unknown; gen: number }

/** The dependencies of `Peer`. */
export type PeerDeps = {
  configuration: RTCConfiguration
  /** Whether this side withdraws its offer in a collision of offers. Both sides compute it: the smaller player id. */
  isPolite: boolean
  /** Distinguishes signals of this connection from those of an earlier one. */
  gen: number
  /** False if this peer was created because of a signal of the other side. */
  isFirst: boolean
  times: PeerTimes
  /** Returns fresh relay credentials for an ICE restart. */
  renew(): Promise<RTCConfiguration>
  send(signal: Signal): void
  /** Adds data channels or media to the connection. */
  setUp(connection: RTCPeerConnection): void
  /** Called between the other side's offer and our answer. */
  beforeAnswer?(connection: RTCPeerConnection): void
  isOpen(connection: RTCPeerConnection): boolean
  /** The connection could not be established or restored in time. */
  failed(): void
}

/** How long the first connection may take, and how long a connection may stay interrupted. */
export type PeerTimes = { connectMs: number; recoverMs: number }

/** Browsers report an interruption after 5 s, so a connection is given up 30 s after its last packet. */
export const PEER_TIMES: PeerTimes = { connectMs: 10_000, recoverMs: 25_000 }

/** Servers that help two browsers to connect, with their credentials. */
type IceServers = { iceServers: RTCIceServer[]; iceTransportPolicy: RTCIceTransportPolicy }

/** Half of the lifetime of the relay credentials, which is one hour. */
const RENEW_AFTER_MS = 30 * 60_000

/** The connection to one other player: perfect negotiation over signals of the service. */
export class Peer {
  readonly gen: number
  readonly #deps: PeerDeps
  readonly #connection: RTCPeerConnection
  #isOffering = false
  #isIgnoring = false
  #isAnswered = false
  /** How many offers were made: an answer names the offer that it is for. */
  #offers = 0
  #queue: Promise<unknown> = Promise.resolve()
  #deadline: ReturnType<typeof setTimeout> | undefined

  constructor(deps: PeerDeps) {
    this.gen = deps.gen
    this.#deps = deps
    const connection = new RTCPeerConnection({ ...deps.configuration, bundlePolicy: 'max-bundle' })
    this.#connection = connection
    connection.onnegotiationneeded = () => void this.#offer()
    connection.onicecandidate = ({ candidate }) => this.#send('candidate', candidate?.toJSON() ?? null)
    connection.onconnectionstatechange = () => this.#stateChanged()
    deps.setUp(connection)
    this.#setDeadline(deps.times.connectMs)
    if (deps.isPolite && deps.isFirst) this.sendHello()
  }

  get isPolite(): boolean {
    return this.#deps.isPolite
  }

  get isOpen(): boolean {
    return this.#deps.isOpen(this.#connection)
  }

  /** Asks the other side for the first offer, and sends our generation. */
  sendHello() {
    this.#send('restart', null)
  }

  /** Processes signals sequentially, in their order. */
  receive(signal: Signal) {
    this.#queue = this.#queue.then(() => this.#receive(signal)).catch(() => this.#deps.failed())
  }

  close() {
    clearTimeout(this.#deadline)
    this.#connection.onconnectionstatechange = null
    this.#connection.close()
  }

  async #receive({ kind, data }: Signal) {
    const connection = this.#connection
    if (connection.signalingState === 'closed') return
    if (kind === 'restart') return this.isPolite ? undefined : this.restart()
    if (kind === 'candidate') {
      // One, or those of a short time together.
      for (const candidate of [data].flat()) await this.#candidate(candidate as RTCIceCandidateInit | null)
      return
    }
    const { sdp, offer } = data as { sdp: string; offer?: number }
    if (kind === 'answer' && !this.#isAwaited(offer)) return void (this.#isIgnoring = true)
    const isCollision =
      kind === 'offer' && (this.#isOffering || (connection.signalingState !== 'stable' && !this.#isAnswered))
    this.#isIgnoring = !this.isPolite && isCollision
    if (this.#isIgnoring) return
    this.#isAnswered = kind === 'answer'
    await connection.setRemoteDescription({ type: kind, sdp })
    this.#isAnswered = false
    if (kind !== 'offer') return
    this.#deps.beforeAnswer?.(connection)
    await connection.setLocalDescription()
    this.#send('answer', { sdp: connection.localDescription?.sdp, offer })
  }

  #isAwaited = (offer = this.#offers) =>
    this.#connection.signalingState === 'have-local-offer' && offer === this.#offers

  async #candidate(candidate: RTCIceCandidateInit | null) {
    try {
      await this.#connection.addIceCandidate(candidate ?? undefined)
    } catch (error) {
      if (!this.#isIgnoring) throw error
    }
  }

  async #offer() {
    const connection = this.#connection
    // The rollback of a first offer can leave Chromium in the gathering state forever, so only one side sends it.
    if (this.isPolite && !connection.remoteDescription) return
    try {
      this.#isOffering = true
      await connection.setLocalDescription()
      this.#offers++
      this.#sendOffer()
    } catch {
      if (connection.signalingState !== 'closed') this.#deps.failed()
    } finally {
      this.#isOffering = false
    }
  }

  /** `disconnected` can be a short gap or a network that is gone; `failed` follows some time later. */
  #stateChanged() {
    const { connectionState } = this.#connection
    if (connectionState !== 'failed' && connectionState !== 'disconnected') return
    if (connectionState === 'disconnected' || !this.#deadline) this.#setDeadline(this.#deps.times.recoverMs)
    void this.restart()
  }

  /** ICE restart; the data channels stay open, and until it is done the former route is used. */
  async restart() {
    const connection = this.#connection
    const configuration = await this.#deps.renew().catch(() => undefined)
    if (connection.signalingState === 'closed') return
    if (configuration) connection.setConfiguration({ ...configuration, bundlePolicy: 'max-bundle' })
    if (this.isPolite) return this.sendHello()
    // No answer yet: the offer arrived before the other side was listening. Send it again.
    if (!connection.remoteDescription) return this.#sendOffer()
    connection.restartIce()
    // The last offer or its answer can be lost, and `negotiationneeded` waits for the answer.
    if (connection.signalingState === 'have-local-offer') await this.#offer()
  }

  #setDeadline(timeoutMs: number) {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => {
      this.#deadline = undefined
      if (this.#connection.connectionState !== 'connected' || !this.isOpen) this.#deps.failed()
    }, timeoutMs)
  }

  #sendOffer() {
    const { type, sdp } = this.#connection.localDescription ?? {}
    if (type === 'offer') this.#send(type, { sdp, offer: this.#offers })
    // The other side's offer was faster.
    if (type === 'answer') this.#send(type, { sdp })
  }

  #send(kind: SignalKind, data: unknown) {
    this.#deps.send({ kind, data, gen: this.gen })
  }
}

/**
 * Passes a signal to the connection of its generation. `replace` opens a connection with another generation; `isFirst` is false if the
 * signal of the other side is the reason.
 */
export function receiveSignal(
  known: Peer | undefined,
  signal: Signal,
  replace: (gen: number, isFirst: boolean) => Peer,
) {
  if (!known || signal.gen > known.gen) return replace(signal.gen, false).receive(signal)
  if (signal.gen === known.gen) return known.receive(signal)
  // A peer with a slower clock does not know our generation yet: send it. Other signals belong to an old connection.
  if (known.isPolite && signal.kind === 'offer') known.sendHello()
  if (!known.isPolite && signal.kind === 'restart') replace(known.gen + 1, true)
}

/** The configuration of connections. Its credentials are read again when half of their lifetime has passed. */
export function createIceConfiguration(
  first: IceServers,
  read: () => Promise<IceServers>,
  now: () => number,
) {
  let last: IceServers
  let renewAt: number
  use(first)

  function use(servers: IceServers) {
    last = servers
    renewAt = now() + RENEW_AFTER_MS
  }

  async function renewed(): Promise<RTCConfiguration> {
    if (now() >= renewAt) use(await read())
    const { iceServers, iceTransportPolicy } = last
    return { iceServers, iceTransportPolicy }
  }

  return {
    use,
    renewed,
    /** The last one that was read. If it is old, the next attempt to connect gets a new one. */
    current(): RTCConfiguration {
      renewed().catch(() => {})
      const { iceServers, iceTransportPolicy } = last
      return { iceServers, iceTransportPolicy }
    },
  }
}
