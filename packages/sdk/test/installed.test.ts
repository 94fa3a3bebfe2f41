import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { build } from 'esbuild'

import { runs } from '../../server/src/testing/runs.ts'
import { createInstalledProject, IN_A_PAGE, IN_NODE, type InstalledProject } from './installed-project.ts'

const MAIN = `
import { connect, isSvcError, type Room, type Svc } from '@svc/sdk'
import { openSignIn } from '@svc/sdk/ui'
const svc: Svc = await connect({ url: 'http://localhost:8787', key: 'pk_dev_x' })
const best: number = (await svc.saves.get<{ score: number }>('best'))?.data.score ?? 0
const room: Room = await svc.rooms.quickMatch('duel')
room.on('player_state', (player, state) => console.log(player.displayName, state, best, isSvcError))
const mesh = await svc.p2p.open(room)
mesh.on('message', (type, data, from) => console.log(type.length, data, from.displayName))
await svc.auth.signUpWithEmail({ email: 'ada@example.com', password: 'long enough' })
const player = await openSignIn(svc, { styled: true })
// @ts-expect-error a player may be null
console.log(player.displayName)
// @ts-expect-error a name is no number
Math.max(svc.player.displayName)
`

/** The class needs no import: only its shape counts. */
const ROOM = `
import { connect, type Room } from '@svc/sdk'
class Arena {
  state: { balls: Record<string, { x: number }>; left: number } = { balls: {}, left: 60 }
  own = (player: string): { cards: string[] } => ({ cards: [player] })
  onCreate(options: { map: string }) { console.log(options) }
  messages = {
    move: (player: { id: string }, input: { dx: number }) => console.log(player, input),
    buy: async (player: { id: string }, { item }: { item: string }) => ({ coins: player.id.length + item.length }),
    ready: () => true,
  }
}
function step(state: Arena['state'], playerId: string, { dx }: { dx: number }) {
  const ball = state.balls[playerId]
  if (ball) ball.x += dx
}
const svc = await connect()
const arena: Room<Arena> = await svc.rooms.quickMatch<Arena>('arena')
await svc.rooms.create<Arena>({ mode: 'arena', options: { map: 'ice' } })
const joined = await svc.rooms.join<Arena>({ code: 'ABCD' })
const [left, cards]: [number, string[]] = [joined.state.left, joined.own.cards]
const { coins } = await arena.call('buy', { item: 'shield' })
const isReady: boolean = await arena.call('ready')
arena.send('move', { dx: 1 })
const me = arena.predict({ step, type: 'move' })
me.send({ dx: 1 })
const x: number | undefined = me.state.balls['ply_1']?.x ?? arena.smooth('balls', { delayMs: 100, teleport: 50 })['ply_1']?.x
arena.on('sync', (state, { tick, at }) => console.log(state.left.toFixed(), tick.toFixed(), at?.toFixed()))
arena.on('closed', (reason, error, result) => console.log(reason.length, error?.code, result))
console.log(left, cards, coins.toFixed(), isReady, x, arena.server?.tickRate.toFixed(), arena.tick.toFixed())
// @ts-expect-error there is no such map
await svc.rooms.create<Arena>({ options: { map: 3 } })
// @ts-expect-error there is no such message
arena.send('fly', { dx: 1 })
// @ts-expect-error the data is missing
arena.send('move')
// @ts-expect-error dx is a number
await arena.call('move', { dx: 'left' })
// @ts-expect-error the handler returns a number
const text: string = (await arena.call('buy', { item: 'shield' })).coins
// @ts-expect-error an input has dx
me.send({ dy: 1 })
// @ts-expect-error there are no such objects
arena.smooth('cards')
// @ts-expect-error step is for another state
arena.predict({ step: (state: { ships: string[] }) => void state.ships.length, type: 'move' })

// Without the class everything is as loose as JSON.
const room = await svc.rooms.join({ code: 'ABCD' })
const reply = await room.call('buy', { item: 'shield' })
console.log(reply.coins, text, room.smooth('balls')['ply_1']?.x)
room.send('anything', 1, { to: ['ply_1'] })
const loose = room.predict({ step, type: 'move' })
loose.send({ dx: 1 })
console.log(loose.state.balls)
const any: Room = room
any.on('sync', (state) => console.log(state['left']))
`

const SERVER = `
import { createServerClient, isSvcError, verifyWebhook } from '@svc/sdk/server'
const server = createServerClient({ url: 'http://localhost:8787', secretKey: 'sk_dev_x' })
const { players } = await server.players.find({ limit: 1 })
const names: string[] = players.map(({ displayName }) => displayName)
const { role } = await server.call<{ role: string }>('GET /v1/admin/other')
// @ts-expect-error a player is named by a text
await server.players.ban(1)
export { names, role, isSvcError, verifyWebhook }
`

const DEVELOPER = `
import { createDeveloperClient, createSecretKeyClient, isSvcError, type DeveloperCalls } from '@svc/sdk/developer'
const developer = createDeveloperClient({ url: 'http://localhost:8787', token: () => 'kds_x' })
const { projects } = await developer.call('listProjects', {})
const slugs: string[] = projects.map(({ slug }) => slug)
const params = { projectId: 'prj_x', env: 'development' } as const
const { version } = await developer.call('readConfig', { params }, { signal: AbortSignal.timeout(1_000) })
const environment = createSecretKeyClient({ url: 'http://localhost:8787', secretKey: 'sk_dev_x' })
const config: DeveloperCalls['readConfig']['response'] = await environment.call('readConfig', {})
// @ts-expect-error the environment is missing
await developer.call('readConfig', {})
// @ts-expect-error a secret key cannot list projects
await environment.call('listProjects', {})
export { slugs, version, config, isSvcError }
`

describe('the SDK in a project that has installed it', () => {
  let project: InstalledProject
  before(async () => {
    project = await createInstalledProject()
  })
  after(() => project.remove())

  const resolutions = [
    ['bundler', 'ESNext'],
    ['nodenext', 'NodeNext'],
    ['node16', 'Node16'],
  ] as const
  for (const [moduleResolution, module] of resolutions.slice(0, runs(2, 3))) {
    test(`[RWC-66] in a page, the types of the client, of room classes and of the developer client are found, and type errors are reported: ${moduleResolution}`, async () => {
      const sources = { 'main.ts': MAIN, 'room.ts': ROOM, 'developer.ts': DEVELOPER }
      assert.deepEqual(await project.typeErrors(sources, { ...IN_A_PAGE, module, moduleResolution }), [])
    })

    test(`in Node, the types of the server client and of the developer client are found without DOM types: ${moduleResolution}`, async () => {
      const sources = { 'server.ts': SERVER, 'developer.ts': DEVELOPER }
      assert.deepEqual(await project.typeErrors(sources, { ...IN_NODE, module, moduleResolution }), [])
    })
  }

  test('a player in Node needs no DOM types, and may pass any WebSocket', async () => {
    const source = `
import { connect } from '@svc/sdk'
type Listener<Given> = ((given: Given & { target: Socket }) => void) | null
declare class Socket {
  constructor(address: string | URL, options?: object)
  onopen: Listener<{ type: string }>
  onclose: Listener<{ code: number; reason: string; wasClean: boolean }>
  onerror: Listener<{ error: unknown }>
  onmessage: Listener<{ data: string | Buffer | ArrayBuffer | Buffer[] }>
  send(data: string | Buffer, done?: (error?: Error) => void): void
  close(code?: number, data?: string | Buffer): void
}
export const svc = await connect({ url: 'http://localhost:8787', key: 'pk_dev_x', platform: { WebSocket: Socket } })
export const same = await connect({ platform: { WebSocket: globalThis.WebSocket } })
`
    const options = { ...IN_NODE, module: 'NodeNext', moduleResolution: 'NodeNext' }
    assert.deepEqual(await project.typeErrors({ 'player.ts': source }, options), [])
  })

  test('a script of a hosted page gets types with one line of `paths`', async () => {
    const own = join(project.folder, 'svc')
    await mkdir(own, { recursive: true })
    for (const name of ['sdk.d.ts', 'sdk-ui.d.ts']) await cp(join(project.sdkFolder, name), join(own, name))
    const options = {
      ...IN_A_PAGE,
      module: 'ESNext',
      moduleResolution: 'bundler',
      checkJs: true,
      paths: { '/.svc/*.js': ['./svc/*.d.ts'] },
    }
    const script = `
import { connect } from '/.svc/sdk.js'
import { openSignIn } from '/.svc/sdk-ui.js'
const svc = await connect()
const player = await openSignIn(svc)
console.log(player?.displayName.length, (await svc.saves.list()).length)
// @ts-expect-error there is no such call
svc.saves.write('best', 1)
`
    assert.deepEqual(await project.typeErrors({ 'page.js': script }, options), [])
  })

  test('a bundler can bundle all of it, with what few pages need in separate files', async () => {
    await writeFile(join(project.folder, 'main.ts'), MAIN)
    const { outputFiles } = await build({
      entryPoints: [join(project.folder, 'main.ts')],
      bundle: true,
      splitting: true,
      format: 'esm',
      outdir: project.folder,
      write: false,
      logLevel: 'silent',
    })
    const withWebRtc = outputFiles.filter(({ text }) => text.includes('RTCPeerConnection'))
    assert.deepEqual([outputFiles.length, withWebRtc.length], [11, 2])
  })

  test('Node loads every entry', () => {
    const script = `
      const { connect } = await import('@svc/sdk')
      const { createServerClient } = await import('@svc/sdk/server')
      const { createDeveloperClient } = await import('@svc/sdk/developer')
      console.log(typeof connect, typeof createServerClient, typeof createDeveloperClient)`
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: project.folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    })
    assert.equal(said, 'function function function\n')
  })
})
