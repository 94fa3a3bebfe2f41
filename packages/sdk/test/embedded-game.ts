import { CONFIG, type Fixtures, startFixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

/** With two clients, which are two guests. */
const GAME = `<!doctype html><meta charset="utf-8"><title>Game</title><button>Open in a tab</button>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  const svc = await connect()
  const { data } = (await svc.saves.get('slot')) ?? {}
  if (!data) await svc.saves.put('slot', { gold: 3 })
  document.querySelector('button').onclick = async () => {
    const tab = open('')
    const { code } = await svc.auth.createTransferCode()
    tab.location = location.href + '#svc_transfer=' + code
  }
  await connect({ storageKey: 'other' })
  globalThis.playerId = svc.player.id
  parent.postMessage([playerId, data], '*')
</script>`

/** A page that shows the game in a frame. `told` resolves with the player of the game and its save. */
const portal = (game: string, sandbox = '') => `<!doctype html><meta charset="utf-8"><title>Portal</title>
<script>globalThis.told = new Promise((resolve) => addEventListener('message', ({ data }) => resolve(data)))</script>
<iframe src="${game}" ${sandbox}></iframe>`

export type EmbeddedGame = Awaited<ReturnType<typeof startEmbeddedGame>>

/** A game, and pages of two other sites that embed it. */
export async function startEmbeddedGame() {
  const fixtures: Fixtures = await startFixtures({ ...CONFIG, share: { inAppBrowser: { enabled: true } } })
  const init = { apiUrl: fixtures.baseUrl, key: fixtures.key }
  // A page with an opaque origin loads its scripts from another origin.
  const site = await startPageServer(init, GAME, { 'access-control-allow-origin': '*' })
  const { port } = new URL(site.url)
  const game = `http://game.localhost:${port}/`
  site.files.set('/portal', ['text/html', portal(game)])
  site.files.set('/strict', ['text/html', portal(game, 'sandbox="allow-scripts"')])
  return {
    game,
    portal: `${site.url}portal`,
    /** The game has an opaque origin, so there is no storage at all. */
    strictPortal: `${site.url}strict`,
    otherPortal: `http://portal.localhost:${port}/portal`,
    async stop() {
      await site.stop()
      await fixtures.stop()
    },
  }
}
