import type { Server } from '../processes.ts'
import { newGuest } from './guests.ts'
import { deploy } from './hosted-files.ts'
import type { Request } from './requests.ts'
import { DATA } from './saves.ts'
import { call, newProject } from './service.ts'

export type SharingRequests = {
  /** The card of a link, on the host of the app. */
  card: Request
  /** A hosted file with the same bytes. */
  file: Request
  saveRead: Request[]
  saveWrite: Request[]
  /** A visit that was not counted before, each time it is called. */
  nextVisit(): Request
  /** Creates a link, whose card is then drawn in the background. */
  nextLink(): Request
}

const PLAYERS = 100
const LINKS = 200
/** Visits of programs are not counted. */
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const TOOLS = ['images', 'links', 'tracking']

/** A hosted app with every share tool on, one shared score, two hundred tracked links, and a hundred players with a save each. */
export async function seedSharing({ port }: Server): Promise<SharingRequests> {
  const { publishable, secret } = await newProject(port, 'Sharing')
  const share = Object.fromEntries(TOOLS.map((tool) => [tool, { enabled: true }]))
  const server = { 'x-svc-key': secret }
  await call(port, 'PUT', '/v1/config', server, { features: { saves: true, hosting: true }, share })

  const players: Record<string, string>[] = []
  for (let i = 0; i < PLAYERS; i++) {
    const token = await newGuest(port, publishable)
    players.push({ 'X-Svc-Key': publishable, Authorization: `Bearer ${token}`, 'User-Agent': PERSON })
  }
  const playerAt = (i: number) => players[i % PLAYERS] ?? {}
  const save = (headers: Record<string, string>) => ({ path: '/v1/saves/slot1', headers, status: 200 })
  const saveWrite = players.map((headers) => ({
    ...save(headers),
    method: 'PUT' as const,
    body: `{"data":${DATA}}`,
  }))
  for (const { path, headers } of saveWrite)
    await call(port, 'PUT', path, headers, { data: JSON.parse(DATA) })

  const links: string[] = []
  for (let i = 0; i < LINKS; i++) {
    const { link } = await call<NewLink>(port, 'POST', '/v1/admin/share/links', server, {
      label: `Post ${i}`,
    })
    links.push(link.id)
  }
  const shared = await call<NewLink>(port, 'POST', '/v1/share/links', playerAt(0), {
    kind: 'score',
    score: 12_345,
  })
  const image = await fetch(`http://127.0.0.1:${port}${new URL(shared.imageUrl).pathname}`)
  const host = await deploy(port, secret, { 'card.png': Buffer.from(await image.arrayBuffer()) })
  const onHost = (path: string): Request => ({ path, headers: { Host: host }, status: 200 })

  let [visits, created] = [0, 0]
  return {
    card: onHost(`/.card/${shared.link.id}.png`),
    file: onHost('/card.png'),
    saveRead: players.map(save),
    saveWrite,
    nextVisit() {
      const i = visits++
      const shareId = links[Math.floor(i / PLAYERS) % LINKS]
      const landed = i < PLAYERS * LINKS
      const body = JSON.stringify({ shareId, landed })
      return { method: 'POST', path: '/v1/share/visits', headers: playerAt(i), status: 200, body }
    },
    nextLink: () => ({
      method: 'POST',
      path: '/v1/share/links',
      headers: playerAt(created),
      status: 201,
      body: JSON.stringify({ kind: 'score', score: created++ }),
    }),
  }
}

type NewLink = { link: { id: string }; imageUrl: string }
