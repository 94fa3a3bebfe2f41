import datachannel, { type PeerConnection, type Track } from 'node-datachannel'

export const OPUS_PAYLOAD_TYPE = 111
/** The RTP source (SSRC) of each slot, the same for all receivers. */
export const sourceOfSlot = (index: number): number => 0x51000001 + index

/** The WebRTC connection of one member. */
export type Peer = {
  onPacket: (rtp: Buffer) => void
  onFailed: () => void
  /** Takes the member's offer and returns our answer. */
  publish(offer: string): Promise<string>
  /** Our offer with the slots. */
  offer(slots: number): Promise<string>
  answer(sdp: string): void
  /** False if the connection is not open. */
  send(slot: number, rtp: Buffer): boolean
  close(): void
}

let count = 0

/** `host` and `port` are shared by all connections. */
export function openPeer({ host, port }: { host: string; port: number }): Peer {
  const connection: PeerConnection = new datachannel.PeerConnection(`member ${++count}`, {
    iceServers: [],
    bindAddress: host,
    enableIceUdpMux: true,
    portRangeBegin: port,
    portRangeEnd: port,
    disableAutoNegotiation: true,
    forceMediaTransport: true,
  })
  const slots: Track[] = []
  let microphone: Track | undefined
  let isClosed = false

  const peer: Peer = {
    onPacket: () => {},
    onFailed: () => {},

    async publish(offer) {
      connection.setRemoteDescription(offer, 'offer')
      return describe('answer')
    },

    async offer(slotCount) {
      for (let index = slots.length; index < slotCount; index++) {
        const audio = new datachannel.Audio(`s${index}`, 'SendOnly')
        audio.addOpusCodec(OPUS_PAYLOAD_TYPE)
        audio.addSSRC(sourceOfSlot(index), 'svc', `slot${index}`, `slot${index}`)
        slots.push(connection.addTrack(audio))
      }
      return describe('offer')
    },

    answer: (sdp) => connection.setRemoteDescription(sdp, 'answer'),

    send(slot, rtp) {
      try {
        return slots[slot]?.sendMessageBinary(rtp) ?? false
      } catch {
        // It is not open yet, or no longer. This runs in a callback of native code, where an error would end the process.
        return false
      }
    },

    // The tracks first: otherwise each connection leaks about 60 KB.
    close() {
      if (isClosed) return
      isClosed = true
      for (const track of slots) track.close()
      microphone?.close()
      connection.close()
    },
  }

  connection.onStateChange((state) => {
    if (!isClosed && (state === 'failed' || state === 'closed')) peer.onFailed()
  })
  connection.onTrack((track) => {
    microphone = track
    track.setMediaHandler(new datachannel.RtcpReceivingSession())
    track.onMessage((bytes) => {
      if (!isClosed && bytes instanceof Buffer) peer.onPacket(bytes)
    })
  })

  async function describe(type: 'offer' | 'answer'): Promise<string> {
    const gathered = Promise.withResolvers<void>()
    if (connection.gatheringState() === 'complete') gathered.resolve()
    else connection.onGatheringStateChange((state) => state === 'complete' && gathered.resolve())
    connection.setLocalDescription(type)
    await gathered.promise
    const { sdp } = connection.localDescription() ?? {}
    if (sdp === undefined) throw new Error('there is no local description')
    return sdp
  }

  return peer
}
