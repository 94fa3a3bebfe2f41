import type { ShareTag, ShareTags } from '@svc/contract/sharing'

import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import { escapeHtml } from '../../platform/http/pages.ts'
import type { PageResponse } from '../../platform/http/responses.ts'
import { acceptedLanguages } from '../../platform/text/languages.ts'
import type { Addresses } from './addresses.ts'
import type { LinkLookup } from './link-lookup.ts'
import { scoreText, titleOf } from './links.ts'
import { type Look, textFor } from './look.ts'
import type { AppAddress, CurrentConfig, FindAddress, Share } from './ports.ts'
import type { LinkRow } from './store.ts'

type TagDeps = {
  config: CurrentConfig
  addresses: Addresses
  lookup: LinkLookup
  findAddress: FindAddress
}
export type Tags = ReturnType<typeof createTags>

/** The app whose tags are written. */
type TaggedApp = { environment: Environment; share: Share; address: AppAddress }

/** `size` is null if it is not known; its tags are left out. */
type Image = { url: string; size: { width: number; height: number } | null }

const CARD_SIZE = { width: 1200, height: 600 }

/** Card tags of pages, and the page of a link. The service never inserts tags into the pages of an app (SHR-11). */
export function createTags({ config, addresses, lookup, findAddress }: TagDeps) {
  /** A fixed image, or the card of the app; null if there is neither. */
  function defaultImage({ environment, share: { tags, images }, address }: TaggedApp): Image | null {
    const { image } = tags
    const fixed =
      image === undefined || /^https:/i.test(image) ? image : addresses.deployedFile(address, image)
    if (fixed) return { url: fixed, size: null }
    return images.enabled ? { url: addresses.defaultCard(environment), size: CARD_SIZE } : null
  }

  function imagesOf(app: TaggedApp, link: LinkRow | undefined) {
    const ofApp = defaultImage(app)
    const ofLink: Image | null =
      link && app.share.images.enabled
        ? { url: addresses.linkCard(app.environment, link.id), size: CARD_SIZE }
        : null
    return { image: ofLink ?? ofApp, defaultImage: ofApp }
  }

  /** The tags of a link with a score contain it: after the title, and before the description. */
  function wordsOf({ share, address }: TaggedApp, languages: readonly string[], link: LinkRow | undefined) {
    const app = titleOf(share, languages) ?? address.name
    const score = link?.score ?? null
    const text = score === null ? null : scoreText(share.links, score, languages)
    const title = text === null ? app : `${app}: ${text}`
    const description = [text, textFor(share.tags.description, languages)].filter((part) => part !== null)
    return {
      title,
      description: description.length === 0 ? null : description.join(' '),
      imageAlt: textFor(share.tags.imageAlt, languages) ?? title,
    }
  }

  function urlOf({ address }: TaggedApp, link: LinkRow | undefined): string | null {
    const page = link ? addresses.sharePage(address, link.id) : null
    if (page !== null) return page
    if (address.url === undefined) return null
    return link ? `${address.url}?ks=${link.id}` : address.url
  }

  return {
    /** The tags for a page of the app, or for the link `ks`; an unknown `ks` returns those of the app. */
    async read(environment: Environment, ks: string | undefined, acceptLanguage: string): Promise<ShareTags> {
      const { share } = (await config(environment.id)).config
      const app = { environment, share, address: await findAddress(environment) }
      const link = ks === undefined ? undefined : await lookup.find(environment.id, ks)
      const { image, defaultImage: ofApp } = imagesOf(app, link)
      if (!share.tags.enabled || !image || !ofApp) throw new ApiError('share_tags_disabled')
      const words = wordsOf(app, acceptedLanguages(acceptLanguage), link)
      const tags = tagsOf({ ...words, image, site: share.tags.site, url: urlOf(app, link) })
      return {
        html: htmlOf(tags),
        tags,
        image: image.url,
        defaultImage: ofApp.url,
        shareImageTemplate: share.images.enabled ? addresses.linkCard(environment, '{shareId}') : null,
      }
    },

    /**
     * The page of a link on the app's host: crawlers, which run no script, read its tags; browsers are redirected to the app. It
     * has the same bytes for all visitors, in the language of the player who shared.
     */
    async page(app: TaggedApp, shareId: string): Promise<PageResponse> {
      const { environment, share } = app
      if (!share.links.enabled) throw new ApiError('share_links_disabled')
      const link = await lookup.find(environment.id, shareId)
      if (!link) return { status: 302, headers: { 'Cache-Control': 'no-cache', Location: '/' }, body: '' }

      const { language } = JSON.parse(link.look) as Look
      const words = wordsOf(app, [language], link)
      const { image } = imagesOf(app, link)
      const url = urlOf(app, link)
      const tags = image && share.tags.enabled ? tagsOf({ ...words, image, site: share.tags.site, url }) : []
      return { headers: PAGE_HEADERS, body: pageHtml({ language, title: words.title, tags, id: link.id }) }
    },
  }
}

type TagValues = {
  title: string
  description: string | null
  imageAlt: string
  image: Image
  site: string | null
  url: string | null
}

function tagsOf({ title, description, imageAlt, image, site, url }: TagValues): ShareTag[] {
  const { size } = image
  const openGraph: [string, string | null][] = [
    ['og:type', 'website'],
    ['og:title', title],
    ['og:description', description],
    ['og:url', url],
    ['og:image', image.url],
    ['og:image:width', size && String(size.width)],
    ['og:image:height', size && String(size.height)],
    ['og:image:alt', imageAlt],
  ]
  const twitter: [string, string | null][] = [
    ['twitter:card', 'summary_large_image'],
    ['twitter:site', site && `@${site}`],
    ['twitter:title', title],
    ['twitter:description', description],
    ['twitter:image', image.url],
    ['twitter:image:alt', imageAlt],
  ]
  return [
    ...openGraph.flatMap(([property, content]) => (content === null ? [] : [{ property, content }])),
    ...twitter.flatMap(([name, content]) => (content === null ? [] : [{ name, content }])),
  ]
}

const htmlOf = (tags: readonly ShareTag[]): string =>
  tags
    .map(({ property, name, content }) => {
      const key =
        property === undefined ? `name="${escapeHtml(name ?? '')}"` : `property="${escapeHtml(property)}"`
      return `<meta ${key} content="${escapeHtml(content)}">`
    })
    .join('\n')

const PAGE_HEADERS = {
  'Cache-Control': 'public, max-age=300',
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Robots-Tag': 'noindex',
}

/** The id contains only letters and digits, so it needs no escaping. */
function pageHtml({
  language,
  title,
  tags,
  id,
}: {
  language: string
  title: string
  tags: ShareTag[]
  id: string
}) {
  const address = `/?ks=${id}`
  return `<!doctype html>
<html lang="${escapeHtml(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="robots" content="noindex">
${htmlOf(tags)}
<meta http-equiv="refresh" content="0;url=${address}">
</head><body><p><a href="${address}">${escapeHtml(title)}</a></p></body></html>
`
}
