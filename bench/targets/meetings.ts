import { freshFolder, type Server } from '../processes.ts'
import type { Who } from '../realtime/dialects.ts'
import type { Meeting } from './crowds.ts'
import { startPeer } from './peer-scripts.ts'
import { newGuest } from './saves.ts'
import { call, newProject, startService } from './service.ts'
import { ON_SQLITE } from './services.ts'

export const FRAMED_ONCE = 'bare ws, framed once'
export const BARE = 'bare ws'
export const SOCKET_IO = 'socket.io'
export const COLYSEUS = 'Colyseus'

const SIGNING_IN_AT_ONCE = 16

/** The service on embedded engines, with a project whose players meet in rooms and channels. */
export async function startMeetings(opened: AsyncDisposableStack): Promise<Meeting> {
  const service = await startService()
  opened.defer(service.end)
  return meetOn(service)
}

export const meetOn = async (service: Server): Promise<Meeting> =>
  meetingOn(service, await newMeetingKey(service.port))

/** The same, started anew after so many have signed in: what that left in memory is not theirs. */
export async function startMeetingsFor(opened: AsyncDisposableStack, count: number): Promise<Meeting> {
  const dataDir = freshFolder()
  const before = await startService({ dataDir })
  const { players } = await meetOn(before)
  const signedIn = await players(count)
  await before.end()

  const service = await startService({ dataDir })
  opened.defer(service.end)
  return { ...meetingOn(service, ''), players: () => Promise.resolve(signedIn) }
}

/** All on the Node of the service. */
export async function startMeetingPeers(opened: AsyncDisposableStack): Promise<Meeting[]> {
  const framed = await startPeer(opened, 'ws.mjs', { options: ['--framed'] })
  return [
    { ...framed, name: FRAMED_ONCE, dialect: 'svc', players: anybody },
    { ...(await startPeer(opened, 'ws.mjs')), name: BARE, dialect: 'svc', players: anybody },
    { ...(await startPeer(opened, 'socket-io.mjs')), name: SOCKET_IO, dialect: 'socketIo', players: anybody },
    { ...(await startPeer(opened, 'colyseus.mjs')), name: COLYSEUS, dialect: 'colyseus', players: anybody },
  ]
}

const meetingOn = ({ port, pid }: Server, key: string): Meeting => ({
  name: ON_SQLITE,
  port,
  pid,
  databases: [],
  dialect: 'svc',
  async players(count) {
    const all: Who[] = []
    while (all.length < count) {
      const group = Array.from({ length: Math.min(SIGNING_IN_AT_ONCE, count - all.length) })
      const tokens = await Promise.all(group.map(() => newGuest(port, key)))
      all.push(...tokens.map((token) => ({ key, token })))
    }
    return all
  },
})

async function newMeetingKey(port: number): Promise<string> {
  const { publishable, secret } = await newProject(port, 'Meetings')
  const features = { multiplayer: true, realtimeChannels: true }
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features })
  return publishable
}

/** The scripts know one token. */
const anybody = (count: number): Promise<Who[]> =>
  Promise.resolve(Array.from({ length: count }, () => ({ key: 'key', token: 'token' })))
