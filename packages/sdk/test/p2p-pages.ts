import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { type Fixtures, startFixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

const HTML = `<!doctype html><meta charset="utf-8"><title>Page</title>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.candidates = []
  /** All of this page, the oldest first. */
  globalThis.connections = []
  /** The relay is reached through this UDP port, if it is set. */
  globalThis.proxyPort = 0
  const throughProxy = ({ iceServers, ...others }) => ({
    ...others,
    iceServers: iceServers.map((server) => ({
      ...server,
      urls: proxyPort ? 'turn:127.0.0.1:' + proxyPort + '?transport=udp' : server.urls,
    })),
  })
  let isOffline = false
  const sockets = []
  const RealSocket = WebSocket
  globalThis.WebSocket = class extends RealSocket {
    constructor(url) {
      super(isOffline ? 'ws://127.0.0.1:9' : url)
      sockets.push(this)
    }
  }
  /** Only the connection to the service; see \`proxyPort\` for the others. */
  globalThis.goOffline = () => { isOffline = true; for (const socket of sockets.splice(0)) socket.close() }
  globalThis.goOnline = () => { isOffline = false; return true }
  const Real = RTCPeerConnection
  globalThis.RTCPeerConnection = class extends Real {
    states = []
    constructor(configuration) {
      super(throughProxy(configuration))
      connections.push(this)
      this.addEventListener('icecandidate', ({ candidate }) => candidate && candidates.push(candidate.candidate))
      this.addEventListener('connectionstatechange', () => this.states.push(this.connectionState))
    }
    setConfiguration(configuration) {
      super.setConfiguration(throughProxy(configuration))
    }
    /** Changes with every ICE restart. */
    get route() {
      return /ice-ufrag:(\\S+)/.exec(this.localDescription?.sdp)?.[1]
    }
  }
  globalThis.ready = connect().then(async (svc) => {
    await svc.auth.declareAge('adult')
    globalThis.svc = svc
    return true
  })
  globalThis.play = async (room, options) => {
    Object.assign(globalThis, { room, heard: [], changes: [] })
    globalThis.mesh = await svc.p2p.open(room, options)
    mesh.on('message', (type, data, from) => heard.push([type, data, from.id]))
    for (const name of ['peer_open', 'peer_closed']) mesh.on(name, () => changes.push(name))
    return true
  }
</script>`

export type P2pPages = {
  world: Fixtures
  browser: Browser
  /** A page with a player of its own. */
  open(): Promise<Page>
  /** Loads the page again: the same player. */
  reload(page: Page): Promise<void>
  stop(): Promise<void>
}

/** A service with a mode `mesh`, and a browser for pages that open a mesh with `play(room)`. */
export async function startP2pPages(settings: Record<string, string> = {}): Promise<P2pPages> {
  const modes = [
    { key: 'mesh', minPlayers: 2, maxPlayers: 4, transport: 'p2p' },
    { key: 'plain', minPlayers: 2, maxPlayers: 4 },
  ]
  const world = await startFixtures({ features: { multiplayer: true }, multiplayer: { modes } }, settings)
  const site = await startPageServer({ apiUrl: world.baseUrl, key: world.key }, HTML)
  const browser = await startBrowser()

  async function reload(page: Page) {
    await page.open(site.url)
    await page.read('ready')
  }
  return {
    world,
    browser,
    async open() {
      const page = await browser.newPage()
      await reload(page)
      return page
    },
    reload,
    async stop() {
      await browser.close()
      await site.stop()
      await world.stop()
    },
  }
}
