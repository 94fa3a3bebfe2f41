import assert from 'node:assert/strict'

import type { Card, Cards } from '../engines/cards/cards.ts'
import { newGuest } from './guests.ts'
import type { Call, Engine, Service } from './service.ts'
import { startService } from './service.ts'

type Tools = Record<string, object>

/** All tools of `share`. */
export const EVERY_TOOL: Tools = Object.fromEntries(
  ['images', 'links', 'tracking', 'inAppBrowser'].map((tool) => [tool, { enabled: true }]),
)

/** The user agent of a person's browser. */
export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** A project with sharing on. */
export async function newShareApp(service: Service, share: Tools = EVERY_TOOL, more: object = {}) {
  const project = await service.newProject()
  const side = project.development
  const configure = async (tools: Tools, others: object = more) => {
    const config = { features: { hosting: true }, ...others, share: tools }
    const { status, body } = await side.server('PUT', '/v1/config', config)
    assert.equal(status, 200, JSON.stringify(body))
  }
  await configure(share)
  const label = `${project.slug}--dev`
  const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
  return {
    ...project,
    ...side,
    label,
    environmentId,
    configure,
    guest: () => newGuest(side),
    /** Creates a link, and returns its id. */
    async newLink(body: object = { kind: 'plain' }, by?: Call): Promise<string> {
      const call = by ?? (await newGuest(side)).call
      const created = await call('POST', '/v1/share/links', body)
      assert.equal(created.status, 201, JSON.stringify(created.body))
      return created.body.link.id
    },
    imageAddress: (name: string) => `/v1/share/images/${label}/${name}.png`,
    visit: (shareId: string, { landed = true, call = side.public, headers = {} }: Reported = {}) =>
      call('POST', '/v1/share/visits', { shareId, landed }, { 'user-agent': BROWSER, ...headers }),
  }
}
type Reported = { landed?: boolean; call?: Call; headers?: Record<string, string> }
export type ShareApp = Awaited<ReturnType<typeof newShareApp>>

/** A service that records which cards were drawn. */
export async function startSharing(engine: Engine, options: Parameters<typeof startService>[1] = {}) {
  const drawn: Card[] = []
  const watchCards = (cards: Cards): Cards => ({
    ...cards,
    draw(card) {
      drawn.push(card)
      return cards.draw(card)
    },
  })
  return { ...(await startService(engine, { watchCards, ...options })), drawn }
}

/** Requests a card again if it was not drawn in time: on a busy machine a drawing may take more than 2 s. */
export async function drawnCard<Response extends { headers: Record<string, string | undefined> }>(
  service: Pick<Service, 'background'>,
  ask: () => Promise<Response>,
): Promise<Response> {
  const first = await ask()
  if (first.headers['cache-control'] !== 'no-store') return first
  await service.background.drained()
  return ask()
}

/** Width and height of a PNG. */
export function pngSize(bytes: Buffer): string {
  assert.equal(bytes.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n')
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`
}
