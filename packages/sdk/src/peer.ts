import type { SignalKind } from '@svc/contract/peer-to-peer'

/** A WebRTC signal for one player. */
export type Signal = { kind: SignalKind; data: unknown; gen: number }

/** What `Peer` takes. */
export type PeerDeps = {
  configuration: RTCConfiguration
  /** Both sides agree on it without a word: the smaller player id. */
  isPolite: boolean
  /** Tells signals of this connection from those of one before it. */
  gen: number
  /** Not made because the other side has signalled. */
  isFirst: boolean
  /** Fresh relay credentials, for when the connection is looked for anew. */
  renew(): Promise<RTCConfiguration>
  send(signal: Signal): void
  opened(): void
  received(text: string): void
  /** It does not come about, or not back. */
  failed(): void
}

const CONNECT_TIMEOUT_MS = 10_000
const RECOVER_TIMEOUT_MS = 15_000

/** The connection to one other player: perfect negotiation over the room's signals, two data channels. */
export class Peer {
  readonly gen: number
  readonly #deps: PeerDeps
  readonly #connection: RTCPeerConnection
  readonly #channels: { reliable: RTCDataChannel; fast: RTCDataChannel }
  #isOffering = false
  #isIgnoring = false
  #isAnswered = false
  #turn: Promise<unknown> = Promise.resolve()
  #deadline: ReturnType<typeof setTimeout> | undefined

  constructor(deps: PeerDeps) {
    this.gen = deps.gen
    this.#deps = deps
    const connection = new RTCPeerConnection({ ...deps.configuration, bundlePolicy: 'max-bundle' })
    this.#connection = connection
    connection.onnegotiationneeded = () => void this.#offer()
    connection.onicecandidate = ({ candidate }) => this.#send('candidate', candidate?.toJSON() ?? null)
    connection.onconnectionstatechange = () => this.#stateChanged()
    // Made by both sides under agreed numbers: no announcement that could come too early.
    const reliable = connection.createDataChannel('reliable', { negotiated: true, id: 0 })
    const fast = connection.createDataChannel('fast', {
      negotiated: true,
      id: 1,
      ordered: false,
      maxRetransmits: 0,
    })
    this.#channels = { reliable, fast }
    for (const channel of [reliable, fast]) channel.onmessage = ({ data }) => deps.received(String(data))
    reliable.onopen = () => deps.opened()
    this.#expect(CONNECT_TIMEOUT_MS)
    if (deps.isPolite && deps.isFirst) this.greet()
  }

  get isPolite(): boolean {
    return this.#deps.isPolite
  }

  get isOpen(): boolean {
    return this.#channels.reliable.readyState === 'open'
  }

  send(text: string, fast: boolean) {
    const channel = fast ? this.#channels.fast : this.#channels.reliable
    if (channel.readyState === 'open') channel.send(text)
  }

  /** The first offer is the other side's: this says that we are there, and in which generation. */
  greet() {
    this.#send('restart', null)
  }

  /** One after the other, in the order they came. */
  receive(signal: Signal) {
    this.#turn = this.#turn.then(() => this.#receive(signal)).catch(() => this.#deps.failed())
  }

  close() {
    clearTimeout(this.#deadline)
    this.#connection.onconnectionstatechange = null
    this.#connection.close()
  }

  async #receive({ kind, data }: Signal) {
    const connection = this.#connection
    if (connection.signalingState === 'closed') return
    if (kind === 'restart') return this.isPolite ? undefined : this.#restart()
    if (kind === 'candidate') return this.#candidate(data as RTCIceCandidateInit | null)
    if (kind === 'answer' && connection.signalingState !== 'have-local-offer') return
    const isCollision =
      kind === 'offer' && (this.#isOffering || (connection.signalingState !== 'stable' && !this.#isAnswered))
    this.#isIgnoring = !this.isPolite && isCollision
    if (this.#isIgnoring) return
    this.#isAnswered = kind === 'answer'
    await connection.setRemoteDescription({ type: kind, sdp: (data as { sdp: string }).sdp })
    this.#isAnswered = false
    if (kind !== 'offer') return
    await connection.setLocalDescription()
    this.#send('answer', { sdp: connection.localDescription?.sdp })
  }

  async #candidate(candidate: RTCIceCandidateInit | null) {
    try {
      await this.#connection.addIceCandidate(candidate ?? undefined)
    } catch (error) {
      if (!this.#isIgnoring) throw error
    }
  }

  async #offer() {
    const connection = this.#connection
    // Rolling back a first offer can leave Chromium gathering for ever, so only one side makes it.
    if (this.isPolite && !connection.remoteDescription) return
    try {
      this.#isOffering = true
      await connection.setLocalDescription()
      const { type, sdp } = connection.localDescription ?? {}
      if (type === 'offer' || type === 'answer') this.#send(type, { sdp })
    } catch {
      if (connection.signalingState !== 'closed') this.#deps.failed()
    } finally {
      this.#isOffering = false
    }
  }

  #stateChanged() {
    const { connectionState } = this.#connection
    if (connectionState !== 'failed' && connectionState !== 'disconnected') return
    this.#expect(RECOVER_TIMEOUT_MS)
    if (connectionState !== 'failed') return
    if (this.isPolite) this.greet()
    else void this.#restart()
  }

  /** The way between the two is looked for anew; data channels stay. */
  async #restart() {
    const { localDescription, remoteDescription } = this.#connection
    // Not answered yet: the offer came before the other side was listening.
    if (!remoteDescription) return localDescription && this.#send('offer', { sdp: localDescription.sdp })
    const configuration = await this.#deps.renew().catch(() => undefined)
    if (this.#connection.signalingState === 'closed') return
    if (configuration) this.#connection.setConfiguration({ ...configuration, bundlePolicy: 'max-bundle' })
    this.#connection.restartIce()
  }

  #expect(withinMs: number) {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => {
      if (this.#connection.connectionState !== 'connected' || !this.isOpen) this.#deps.failed()
    }, withinMs)
  }

  #send(kind: SignalKind, data: unknown) {
    this.#deps.send({ kind, data, gen: this.gen })
  }
}
