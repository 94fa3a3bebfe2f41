import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { type Fixtures, startFixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

/** Many players in one page: each is a client of its own. The microphone is a tone whose loudness the test knows. */
const VOICE_HTML = `<!doctype html><meta charset="utf-8"><title>Page</title><button>Go</button>
<script type="module">
  import { connect, isSvcError } from '/.svc/sdk.js'
  const context = new AudioContext()
  globalThis.volume = 0
  globalThis.tones = []
  globalThis.tracks = []
  globalThis.realMicrophone = navigator.mediaDevices?.getUserMedia.bind(navigator.mediaDevices)
  globalThis.useTones = () => navigator.mediaDevices.getUserMedia = async () => {
    await context.resume()
    const [tone, gain, out] = [context.createOscillator(), context.createGain(), context.createMediaStreamDestination()]
    gain.gain.value = volume
    tone.connect(gain).connect(out)
    tone.start()
    tones.push(gain.gain)
    tracks.push(out.stream.getAudioTracks()[0])
    return out.stream
  }
  if (isSecureContext) useTones()
  /** The elements that play the voices. */
  globalThis.sounds = []
  const RealAudio = Audio
  globalThis.Audio = function () { const element = new RealAudio(); sounds.push(element); return element }
  const candidates = globalThis.candidates = []
  const Real = RTCPeerConnection
  globalThis.connections = []
  globalThis.meters = []
  /** The network of the next connections: through TURN only, without UDP to the relay server, with UDP through a proxy, or none. */
  globalThis.network = {}
  const throughProxy = (sdp) =>
    sdp.replace(/^a=candidate:[23] .*\\r\\n/gm, '').replace(/^(a=candidate:1 1 UDP \\d+ \\S+) \\d+/gm, '$1 ' + network.proxyPort)
  const throughTurn = ({ iceServers, ...others }) => ({
    ...others,
    iceTransportPolicy: 'relay',
    iceServers: iceServers.map((server) => ({ ...server, urls: server.urls.filter((url) => network.turn.test(url)) })),
  })
  globalThis.RTCPeerConnection = class extends Real {
    constructor(configuration) {
      // The meter: the page is connected to itself.
      if (!configuration) { super(); meters.push(this); return }
      super(network.turn ? throughTurn(configuration) : configuration)
      connections.push(this)
      this.addEventListener('icecandidate', ({ candidate }) => candidate && candidates.push(candidate.candidate))
    }
    setRemoteDescription({ type, sdp }) {
      if (network.isTcpOnly) sdp = sdp.replace(/^a=candidate:.* UDP .*\\r\\n/gim, '')
      if (network.proxyPort) sdp = throughProxy(sdp)
      if (network.isBlocked) sdp = sdp.replace(/^a=candidate:.*\\r\\n/gim, '')
      return super.setRemoteDescription({ type, sdp })
    }
    addIceCandidate(candidate) {
      return network.isBlocked ? Promise.resolve() : super.addIceCandidate(candidate)
    }
    remotePort() {
      return /^a=candidate:1 1 UDP \\d+ \\S+ (\\d+)/im.exec(this.remoteDescription.sdp)[1]
    }
    /** What it has received of all voices. */
    async sound() {
      const sound = { packets: 0, samples: 0, concealed: 0, lost: 0 }
      for (const report of (await this.getStats()).values()) {
        if (report.type !== 'inbound-rtp') continue
        sound.packets += report.packetsReceived
        sound.lost += report.packetsLost
        sound.samples += report.totalSamplesReceived
        sound.concealed += report.concealedSamples - (report.silentConcealedSamples ?? 0)
      }
      return sound
    }
    /** To the relay server, or to TURN. */
    async protocol() {
      const stats = await this.getStats()
      const pair = [...stats.values()].find(({ type, nominated, state }) => type === 'candidate-pair' && nominated && state === 'succeeded')
      const local = stats.get(pair?.localCandidateId)
      return local?.relayProtocol ?? local?.protocol
    }
  }
  const memory = () => { const map = new Map(); return { getItem: (k) => map.get(k) ?? null, setItem: (k, v) => void map.set(k, v), removeItem: (k) => void map.delete(k) } }
  globalThis.players = []
  /** A new player in the call; loudness 0 is silence. */
  globalThis.join = async (channel, loudness, options) => {
    const svc = await connect({ storage: memory() })
    await svc.auth.guest()
    const joined = await svc.channels.join(channel)
    volume = loudness
    const call = await joined.voice.join(options)
    const player = { svc, call, id: svc.player.id, channel: joined, levels: {}, speaking: {}, events: [], tone: tones.at(-1), track: tracks.at(-1) }
    players.push(player)
    call.on('playback_blocked', () => console.info('blocked'))
    call.on('level', (id, level) => { player.levels[id] = level })
    call.on('speaking', (id, isSpeaking) => { player.speaking[id] = isSpeaking })
    for (const name of ['reconnecting', 'reconnected', 'closed', 'playback_blocked', 'warn', 'muted', 'devices'])
      call.on(name, (...args) => player.events.push([name, ...args.map((arg) => arg?.code ?? arg)]))
    return player.id
  }
  globalThis.failure = (channel, options) => join(channel, 0, options).then(() => 'joined', (error) => [isSvcError(error), error.code])
  /** Whom this player hears. */
  globalThis.heardBy = (at) => Object.entries(players[at].levels).filter(([id, level]) => level > 0.02 && id !== players[at].id).map(([id]) => id).sort()
  globalThis.idsOf = (...at) => at.map((one) => players[one].id).sort()
  globalThis.hears = (at, ...others) => String(heardBy(at)) === String(idsOf(...others))
  globalThis.everybodyLeaves = async () => { for (const { call, svc } of players.splice(0)) { await call.leave(); svc.close() } connections.length = 0; tones.length = 0 }
  globalThis.ready = true
  // A page that joins by itself, before any click.
  if (location.hash) join(location.hash.slice(1), 0, { microphone: false }).catch((error) => { globalThis.failed = error })
</script>`

/** The relay server is on a loopback address here. */
const VOICE_FLAGS = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
]

export type VoicePages = {
  world: Fixtures
  browser: Browser
  url: string
  /** A page that was clicked, so that it may play sound. */
  open(): Promise<Page>
  /** The clock of the service stands still: events that it delays come with this. */
  passTime(): void
  stop(): Promise<void>
}

/** A service with the channels `@mesh` and `@relay`, and a browser for pages with many players. */
export async function startVoicePages(
  settings: Record<string, string> = {},
  flags: string[] = [],
): Promise<VoicePages> {
  const config = { features: { realtimeChannels: true, voice: true } }
  const world = await startFixtures(config, { VOICE_PORT: '0', TURN_PORT: '0', ...settings })
  const site = await startPageServer({ apiUrl: world.baseUrl, key: world.key }, VOICE_HTML)
  const browser = await startBrowser({ flags: [...VOICE_FLAGS, ...flags] })
  for (const [name, maxMembers] of [
    ['@mesh', 8],
    ['@relay', 9],
  ] as const)
    await world.development.server('PUT', `/v1/realtime/channels/${name}`, { voice: true, maxMembers })

  return {
    world,
    browser,
    url: site.url,
    async open() {
      const page = await browser.newPage()
      await page.open(site.url)
      await page.until('globalThis.ready')
      await page.press('button')
      return page
    },
    passTime: () => world.service.clock.advance(300),
    async stop() {
      await browser.close()
      await site.stop()
      await world.stop()
    },
  }
}
