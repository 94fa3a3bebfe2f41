import { connect, isSvcError, type Svc } from '@svc/sdk'
import { openSignIn } from '@svc/sdk/ui'

import { $, element } from './page'
import { currentSave, EMPTY, keep, onKeep, type Save } from './save'

// On Vite's dev server, the page needs the URL and the key that `svc init` wrote to .env.local. Once hosted, it needs neither.
const env = import.meta.env
const url = env['VITE_SVC_URL']
const key = env['VITE_SVC_DEVELOPMENT_PUBLISHABLE_KEY']

let svc: Svc | undefined

/** The game starts without svc, and connects in the background. */
export async function goOnline(): Promise<void> {
  const connected = await connect(env.DEV ? { url, key } : {})
  svc = connected
  $('sign-in').onclick = () => openSignIn(connected, { styled: true }).catch(stayOffline)
  connected.on('player', () => showPlayer(connected))
  onKeep(() => void upload(connected).catch(stayOffline))
  showPlayer(connected)
}

/** The next visit brings everything up to date. */
export const stayOffline = (error: Error): void => console.info(`Playing offline. ${error.message}`)

/** At the start, and when a player signs in. */
function showPlayer(svc: Svc): void {
  $('sign-in').hidden = !svc.player.isGuest
  loadSave(svc)
    .then(() => showBoard(svc))
    .catch(stayOffline)
}

// --- the save

/** The cloud save as this page knows it; undefined until it is loaded. */
let uploaded: string | undefined
const cloudData = ({ best, lamps, lamp }: Save) => JSON.stringify({ best, lamps, lamp })

/** A save without a player is from before svc: the first player gets it, once. */
async function loadSave(svc: Svc): Promise<void> {
  uploaded = undefined
  const player = svc.player.id
  const cloud = (await svc.saves.get<Save>('progress'))?.data ?? EMPTY
  uploaded = cloudData(cloud)
  const save = currentSave()
  const isOwn = !save.player || save.player === player
  keep({ ...(isOwn ? better(save, cloud) : cloud), player })
}

const better = (a: Save, b: Save): Save => ({
  best: Math.max(a.best, b.best),
  lamps: Math.max(a.lamps, b.lamps),
  lamp: a.lamp || b.lamp,
})

async function upload(svc: Svc): Promise<void> {
  const data = cloudData(currentSave())
  if (!uploaded || data === uploaded) return
  try {
    await svc.saves.put('progress', JSON.parse(data))
    uploaded = data
  } catch (error) {
    if (!isSvcError(error, 'version_conflict')) throw error
    // Another device saved first: the better of both stays.
    const theirs = error.current as { data: Save } | null | undefined
    keep(better(currentSave(), theirs?.data ?? EMPTY))
  }
}

// --- the leaderboard

export async function submit(floors: number): Promise<void> {
  if (!svc || floors === 0) return
  await svc.stats.submit({ floors })
  await showBoard(svc)
}

type Place = { rank: number; value: number; displayName?: string | null }

/** The week's best five, and the player's own rank. */
async function showBoard(svc: Svc): Promise<void> {
  const [{ entries }, { me }] = await Promise.all([
    svc.leaderboards.top('floors', { period: 'weekly', limit: 5 }),
    svc.leaderboards.nearby('floors', { period: 'weekly', count: 0 }),
  ])
  // `top` may be a second old; `me` is current.
  const places: Place[] = entries.filter(({ playerId }) => playerId !== svc.player.id)
  if (me) places.splice(me.rank - 1, 0, me)
  const rows = places.map((entry, at) =>
    entry === me ? rowOf(entry, true) : rowOf({ ...entry, rank: at + 1 }, false),
  )
  $('places').replaceChildren(...rows)
  $('board').hidden = places.length === 0
  dispatchEvent(new Event('resize'))
}

function rowOf({ rank, displayName, value }: Place, isMe: boolean): HTMLElement {
  const row = element('li', '', isMe ? 'me' : '')
  for (const text of [rank, isMe ? 'You' : (displayName ?? 'Young player'), value])
    row.append(element('span', String(text)))
  return row
}
