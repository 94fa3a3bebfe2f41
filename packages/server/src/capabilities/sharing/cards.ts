import { hash } from 'node:crypto'

import { ApiError } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import { type Clock, HOUR_MS, type Monotonic, monotonicMs, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Content, FileResponse, PageResponse } from '../../platform/http/responses.ts'
import { createCache } from '../../platform/memory/cache.ts'
import type { CardInputs } from './card-inputs.ts'
import type { CardRow, CardStore } from './cards-store.ts'
import { type Draw, type Drawing, isLasting } from './drawing.ts'
import type { LinkLookup } from './link-lookup.ts'
import { DEFAULT_LANGUAGE, type Look, lookOf } from './look.ts'
import type { Blobs, CurrentConfig, HostedFiles } from './ports.ts'
import { createSharedDrawings } from './shared-drawings.ts'
import type { LinkRow, LinkStore, StoredCard } from './store.ts'

type CardDeps = {
  draw: Draw
  /** The picture while a card is not drawn yet. */
  plain(): Uint8Array
  inputs: CardInputs
  blobs: Pick<Blobs, 'put'>
  clock: Clock
  background: Pick<Background, 'run'>
  config: CurrentConfig
  files: HostedFiles
  links: Pick<LinkStore, 'find' | 'setCard' | 'removeCard' | 'replaceCard'>
  lookup: LinkLookup
  now?: Monotonic
}
export type Cards = ReturnType<typeof createCards>

/** One picture: that of the app (`name` is the hash of its inputs), or of a link (`name` is its id). */
type Picture = {
  name: string
  kind: 'default' | 'plain' | 'score' | 'challenge'
  score: number | null
  displayName: string | null
  look: Look
  suffix: '' | typeof UNNAMED
}

/** Ends the key of a picture without the name of its link, which the player, now a child, had wanted to show. */
const UNNAMED = '-unnamed'
const isUnnamed = (key: string) => key.endsWith(UNNAMED)
const CACHE_CONTROL = 'public, max-age=86400'
const FOR_ANY_PAGE = { 'Access-Control-Allow-Origin': '*' }
/** A crash between storing the bytes and recording them leaves a blob for this long. */
const REMOVE_AFTER_MS = HOUR_MS
const FRESH_MS = 1_000
const CARDS_MAX = 10_000

/**
 * Pictures of 1200x600. Each is drawn once, at its first request, stored, and then served from the blob store. Only cards of
 * existing links and apps are drawn, so guessed URLs do not cause drawings.
 */
export function createCards(store: CardStore, deps: CardDeps) {
  const { draw, plain, inputs, blobs, clock, background, config, files, links, lookup } = deps
  const { now = monotonicMs } = deps
  const drawings = createSharedDrawings({ background, plain: () => notStored(plain()), now })
  /** By the row, which is cached for a second, so that the headers of a response are built once per row. */
  const responses = new WeakMap<LinkRow | CardRow, FileResponse>()

  const today = () => timestamp(clock).slice(0, 10)
  const defaults = createCache<CardRow | undefined>({
    async read(key) {
      const [environmentId = '', inputHash = ''] = key.split(':')
      const card = await store.find(environmentId, inputHash)
      if (card && card.usedOn !== today())
        background.run(() => store.setUsed({ environmentId, inputHash }, today()))
      return card
    },
    ttlMs: FRESH_MS,
    entriesMax: CARDS_MAX,
    now,
  })

  function inputsOf({ projectId, id: environmentId }: Environment, picture: Picture) {
    const { kind, score, displayName, look } = picture
    const { templateVersion, title, theme, language } = look
    return {
      environmentId,
      templateVersion,
      kind,
      title,
      score,
      displayName,
      language,
      theme,
      background: inputs.fileOf(projectId, 'background', look.background),
      font: inputs.fileOf(projectId, 'font', look.font),
    }
  }

  /** Draws a picture and stores its bytes. `record` writes its row, and responds with the picture that is stored afterwards. */
  async function drawNow(
    environment: Environment,
    picture: Picture,
    record: (card: StoredCard) => Promise<Content>,
  ): Promise<Content> {
    const drawing = await draw(inputsOf(environment, picture))
    inputs.recordDrawing(picture.look, drawing)
    if (!drawing.isDrawn) return fallbackFor(keyOf(environment, picture.name), drawing)

    const png = bufferOf(drawing.png)
    const digest = hash('sha256', png)
    // The digest is in the key, so that two nodes with different versions of the engine do not overwrite each other's picture.
    const key = `cards/${environment.id}/${picture.name}-${digest.slice(0, 16)}${picture.suffix}`
    await store.planRemoval(key, timestamp(clock, REMOVE_AFTER_MS))
    await blobs.put(key, png, { sha256: digest })
    return record({ key, bytes: png.length, sha256: digest })
  }

  function fallbackFor(key: string, drawing: Drawing): PageResponse {
    const response = notStored(drawing.png)
    if (isLasting(drawing)) drawings.recordFailure(key, response)
    return response
  }

  const once = (environment: Environment, name: string, work: () => Promise<Content>) =>
    drawings.get(keyOf(environment, name), work)

  /** Undefined if it is not drawn yet, or if it shows a name that it must not show, or the other way round. */
  async function linkFile(environment: Environment, link: LinkRow): Promise<FileResponse | undefined> {
    const card = cardOf(link)
    if (!card || isUnnamed(card.key) !== (await lookup.hidesName(link))) return undefined
    const known = responses.get(link)
    if (known) return known
    const { id } = link
    const response = fileResponse(card, async () => {
      await links.removeCard({ environmentId: environment.id, id }, card.key)
      lookup.drop(environment.id, id)
      return once(environment, id, () => drawLink(environment, id))
    })
    responses.set(link, response)
    return response
  }

  /** Reads the link again, because another node may have drawn it in the meantime. */
  async function drawLink(environment: Environment, id: string): Promise<Content> {
    const one = { environmentId: environment.id, id }
    const link = await links.find(environment.id, id)
    if (!link) throw new ApiError('share_link_not_found')
    const stored = await linkFile(environment, link)
    if (stored) return stored
    const hidesName = await lookup.hidesName(link)
    if (link.cardKey !== null) await links.replaceCard(one, link.cardKey, timestamp(clock))
    const picture = pictureOf(link, hidesName)
    return drawNow(environment, picture, async (card) => {
      const recorded = await links.setCard(one, card)
      lookup.drop(environment.id, id)
      if (!recorded) throw new ApiError('share_link_not_found')
      // The player has become a child meanwhile, or is no longer one: the next request draws again.
      return (await linkFile(environment, recorded)) ?? notStored(plain())
    })
  }

  async function drawDefault(environment: Environment, inputHash: string, look: Look): Promise<Content> {
    const picture: Picture = {
      name: inputHash,
      kind: 'default',
      score: null,
      displayName: null,
      look,
      suffix: '',
    }
    return drawNow(environment, picture, async ({ key, bytes, sha256: digest }) => {
      const card = { environmentId: environment.id, inputHash, blobKey: key, bytes, sha256: digest }
      const kept = await store.insert({ ...card, usedOn: today() })
      defaults.drop(keyOf(environment, inputHash))
      return defaultFile(environment, kept, look)
    })
  }

  function defaultFile(environment: Environment, card: CardRow, look: Look): FileResponse {
    const known = responses.get(card)
    if (known) return known
    const { inputHash, blobKey: key, bytes, sha256: digest } = card
    const response = fileResponse({ key, bytes, sha256: digest }, async () => {
      await store.remove({ environmentId: environment.id, inputHash })
      defaults.drop(keyOf(environment, inputHash))
      return once(environment, inputHash, () => drawDefault(environment, inputHash, look))
    })
    responses.set(card, response)
    return response
  }

  async function requireOn(environment: Environment) {
    const { images } = (await config(environment.id)).config.share
    if (!images.enabled) throw new ApiError('share_images_disabled')
    return images
  }

  return {
    /** The card of a link (SHR-07). */
    async ofLink(environment: Environment, shareId: string): Promise<Content> {
      await requireOn(environment)
      const link = await lookup.require(environment.id, shareId)
      const stored = await linkFile(environment, link)
      return stored ?? once(environment, shareId, () => drawLink(environment, shareId))
    },

    /** The card of the app, with its current config and live version. */
    async ofApp(environment: Environment): Promise<Content> {
      const images = await requireOn(environment)
      const look = lookOf(images, await files.live(environment), [DEFAULT_LANGUAGE])
      const inputHash = sha256(JSON.stringify(look))
      const card = await defaults.get(keyOf(environment, inputHash))
      if (card) return defaultFile(environment, card, look)
      return once(environment, inputHash, () => drawDefault(environment, inputHash, look))
    },
  }
}

const keyOf = ({ id }: Environment, name: string) => `${id}:${name}`

const cardOf = ({ cardKey: key, cardBytes: bytes, cardSha256: digest }: LinkRow): StoredCard | undefined =>
  key === null || bytes === null || digest === null ? undefined : { key, bytes, sha256: digest }

const pictureOf = ({ id, kind, score, displayName, look }: LinkRow, hidesName: boolean): Picture => ({
  name: id,
  kind: kind === 'score' || kind === 'challenge' ? kind : 'plain',
  score,
  displayName: hidesName ? null : displayName,
  look: JSON.parse(look) as Look,
  suffix: hidesName ? UNNAMED : '',
})

const fileResponse = (card: StoredCard, ifMissing: () => Promise<Content>): FileResponse => ({
  file: {
    key: card.key,
    sha256: card.sha256,
    size: card.bytes,
    type: 'image/png',
    cacheControl: CACHE_CONTROL,
    brSize: 0,
    gzSize: 0,
    hasRanges: false,
  },
  headers: FOR_ANY_PAGE,
  ifMissing,
})

const notStored = (png: Uint8Array): PageResponse => ({
  type: 'image/png',
  headers: { ...FOR_ANY_PAGE, 'Cache-Control': 'no-store' },
  body: bufferOf(png),
})

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
