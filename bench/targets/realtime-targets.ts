import { freshFolder, type Server } from '../processes.ts'
import type { Credentials } from '../realtime/dialects.ts'
import type { RealtimeTarget } from './client-groups.ts'
import { newGuest } from './guests.ts'
import { startPeer } from './peer-scripts.ts'
import { call, newProject, startService } from './service.ts'
import { ON_SQLITE } from './services.ts'

export const FRAMED_ONCE = 'bare ws, framed once'
export const BARE = 'bare ws'
export const SOCKET_IO = 'socket.io'
export const SOCKET_IO_CHECKED = 'socket.io, same work'
export const COLYSEUS = 'Colyseus'

const SIGN_IN_CONCURRENCY = 16

/** Starts the service on embedded engines, with a project that uses rooms and channels. */
export async function startRealtime(opened: AsyncDisposableStack): Promise<RealtimeTarget> {
  const service = await startService()
  opened.defer(service.end)
  return realtimeOn(service)
}

export const realtimeOn = async (service: Server): Promise<RealtimeTarget> =>
  targetOf(service, await newRealtimeKey(service.port))

/**
 * Like `startRealtime`, but restarts the service after `count` players have signed in, so that the sign-ins do not count as
 * memory of the sockets.
 */
export async function restartRealtimeWith(
  opened: AsyncDisposableStack,
  count: number,
): Promise<RealtimeTarget> {
  const dataDir = freshFolder()
  const before = await startService({ dataDir })
  const { players } = await realtimeOn(before)
  const signedIn = await players(count)
  await before.end()

  const service = await startService({ dataDir })
  opened.defer(service.end)
  return { ...targetOf(service, ''), players: () => Promise.resolve(signedIn) }
}

/** All peers run on the Node version of the service. */
export async function startRealtimePeers(opened: AsyncDisposableStack): Promise<RealtimeTarget[]> {
  const framed = await startPeer(opened, 'ws.mjs', { options: ['--framed'] })
  return [
    { ...framed, name: FRAMED_ONCE, dialect: 'svc', players: fixedCredentials },
    { ...(await startPeer(opened, 'ws.mjs')), name: BARE, dialect: 'svc', players: fixedCredentials },
    {
      ...(await startPeer(opened, 'socket-io.mjs')),
      name: SOCKET_IO,
      dialect: 'socketIo',
      players: fixedCredentials,
    },
    {
      ...(await startPeer(opened, 'colyseus.mjs')),
      name: COLYSEUS,
      dialect: 'colyseus',
      players: fixedCredentials,
    },
  ]
}

/** socket.io that does for a join what the service does. */
export async function startCheckedSocketIo(opened: AsyncDisposableStack): Promise<RealtimeTarget> {
  const server = await startPeer(opened, 'socket-io-checked.mjs')
  async function players(count: number): Promise<Credentials[]> {
    const response = await fetch(`http://127.0.0.1:${server.port}/tokens/${count}`)
    return ((await response.json()) as string[]).map((token) => ({ key: '', token }))
  }
  return { ...server, name: SOCKET_IO_CHECKED, dialect: 'socketIo', players }
}

const targetOf = ({ port, pid }: Server, key: string): RealtimeTarget => ({
  name: ON_SQLITE,
  port,
  pid,
  databases: [],
  dialect: 'svc',
  players: (count) => signInGuests(port, key, count),
})

export async function signInGuests(port: number, key: string, count: number): Promise<Credentials[]> {
  const all: Credentials[] = []
  while (all.length < count) {
    const group = Array.from({ length: Math.min(SIGN_IN_CONCURRENCY, count - all.length) })
    const tokens = await Promise.all(group.map(() => newGuest(port, key)))
    all.push(...tokens.map((token) => ({ key, token })))
  }
  return all
}

async function newRealtimeKey(port: number): Promise<string> {
  const { publishable, secret } = await newProject(port, 'Realtime')
  const features = { multiplayer: true, realtimeChannels: true }
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features })
  return publishable
}

/** The peer scripts accept one fixed token. */
export const fixedCredentials = (count: number): Promise<Credentials[]> =>
  Promise.resolve(Array.from({ length: count }, () => ({ key: 'key', token: 'token' })))
