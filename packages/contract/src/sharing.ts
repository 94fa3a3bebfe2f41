import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import {
  BY_PLAYER,
  EnvironmentParams,
  Id,
  IdParam,
  Limit,
  Line,
  Nullable,
  Timestamp,
} from './common/schemas.ts'

/** Sharing: links, card images, page tags, visits, and X profiles that players show. Each tool of `share` answers 404 while it is off. */

const Score = Type.Number({ description: 'finite; fixed when the link is created' })
const ShareId = Type.String({
  pattern: '^shr_[0-9a-hjkmnp-tv-z]{12}$',
  description: 'the value of `ks` in a URL',
  examples: ['shr_7n2q4c9x0k3m'],
})
const Day = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  patternErrorMessage: 'must be a date like 2026-11-15',
  description: 'a UTC day, like 2026-11-15',
})
const Count = Type.Integer({ minimum: 0 })
const AppLabel = Type.String({
  minLength: 1,
  description: 'slug of the project; <slug>--dev for development',
})
const Png = Type.String({ description: 'a PNG of 1200x600' })

/** The kind of a link: developers create `tracked` links, players all others. */
export type ShareKind = Static<typeof ShareKind>
/** `score` and `challenge` have a score; the others have none. */
export const ShareKind = Type.Enum(['plain', 'score', 'challenge', 'tracked'])

/** A share link. */
export type ShareLink = Static<typeof ShareLink>
/** `score` is null for `plain` and `tracked`. The name of a child is never shown. */
export const ShareLink = Type.Object({
  id: ShareId,
  kind: ShareKind,
  score: Nullable(Score),
  displayName: Nullable(
    Type.String({ ...BY_PLAYER, description: 'of the player who shared; null unless showName was set' }),
  ),
  createdAt: Timestamp,
})

/** A link that a developer created, to count the visits of one post or page. */
export type TrackedLink = Static<typeof TrackedLink>
/** Only developers see `label`. `score` and `displayName` are null. */
export const TrackedLink = Type.Object({ ...ShareLink.properties, label: Type.String() })

/** Texts for a post about the link. */
export type SharePost = Static<typeof SharePost>
/** The service posts nothing itself. `via` is null if the config names no account. */
export const SharePost = Type.Object({
  text: Type.String({
    description: 'share.links.text with {score} filled in, or the title of the app',
  }),
  hashtags: Type.Array(Type.String(), { description: 'without the leading #' }),
  via: Nullable(Type.String({ description: 'an account, without the leading @' })),
})

/** Share a score or a challenge. */
export const createShareLink = endpoint('POST /v1/share/links', {
  summary: 'Create a share link; its score, name and card never change',
  caller: 'player',
  share: 'links',
  status: 201,
  idempotent: true,
  body: Type.Object({
    kind: Type.Enum(['plain', 'score', 'challenge']),
    score: Type.Optional(Score),
    showName: Type.Optional(
      Type.Boolean({ description: 'true: show your display name; never shown for children', default: false }),
    ),
  }),
  response: Type.Object({
    link: ShareLink,
    url: Nullable(
      Type.String({
        description:
          'the page of the link, with its card for crawlers; null while the app is not hosted here: add ks=<id> to your own URL',
      }),
    ),
    imageUrl: Nullable(Type.String({ description: 'the card; null while share.images is off' })),
    post: SharePost,
  }),
})

/** Read a share link; for example to restore a challenge. */
export const readShareLink = endpoint('GET /v1/share/links/:shareId', {
  summary: 'Read a share link; for example to restore a challenge',
  caller: 'public',
  share: 'links',
  params: Type.Object({ shareId: IdParam }),
  response: Type.Object({ link: ShareLink }),
  errors: ['share_link_not_found'],
})

/** Report that a visitor opened a link, or started to play after that. */
export const reportShareVisit = endpoint('POST /v1/share/visits', {
  summary:
    'Report a visit through a share link; that someone arrived, or began to play. Counted once per visitor and day',
  caller: 'public',
  optionalPlayer: true,
  share: 'tracking',
  body: Type.Object({
    shareId: IdParam,
    landed: Type.Boolean({ description: 'true: arrived; false: began to play' }),
  }),
  response: Type.Object({
    counted: Type.Boolean({
      description: 'false: already counted, or never counted, such as children and bots',
    }),
  }),
  errors: ['share_link_not_found'],
})

/** The card of an app. */
export const readDefaultCard = endpoint('GET /v1/share/images/:label/card.png', {
  summary: 'Get the card of an app; a PNG of 1200×600, no key needed',
  caller: 'none',
  anyOrigin: true,
  share: 'images',
  params: Type.Object({ label: AppLabel }),
  responseType: 'image/png',
  response: Png,
  errors: ['not_found'],
})

/** The card of a share link. */
export const readLinkCard = endpoint('GET /v1/share/images/:label/:shareId.png', {
  summary: 'Get the card of a share link; a PNG of 1200×600 that never changes, no key needed',
  caller: 'none',
  anyOrigin: true,
  share: 'images',
  params: Type.Object({ label: AppLabel, shareId: IdParam }),
  responseType: 'image/png',
  response: Png,
  errors: ['not_found', 'share_link_not_found'],
})

/** One meta tag: `property` for Open Graph, `name` for others. */
export type ShareTag = Static<typeof ShareTag>
/** It has either `property` or `name`. */
export const ShareTag = Type.Object({
  property: Type.Optional(Type.String({ examples: ['og:title'] })),
  name: Type.Optional(Type.String({ examples: ['twitter:card'] })),
  content: Type.String(BY_PLAYER),
})

/** The card tags of a page, ready to be put into its head. */
export type ShareTags = Static<typeof ShareTags>
/** `image` is the card of the link, if there is one and `share.images` is on; otherwise it is `defaultImage`. */
export const ShareTags = Type.Object({
  html: Type.String({ ...BY_PLAYER, description: 'the tags as escaped HTML, for the head of your page' }),
  tags: Type.Array(ShareTag),
  image: Type.String({ description: 'the image of these tags' }),
  defaultImage: Type.String({ description: 'the image without a share link' }),
  shareImageTemplate: Nullable(
    Type.String({ description: 'replace {shareId} with an id; null while share.images is off' }),
  ),
})

const Tags = {
  share: 'tags',
  query: Type.Object({
    ks: Type.Optional(
      Type.String({
        maxLength: 128,
        description: 'id of a share link; an unknown one returns the default tags',
      }),
    ),
  }),
  response: ShareTags,
} as const

/** Get the card tags for a page of yours. */
export const readShareTags = endpoint('GET /v1/share/tags', {
  ...Tags,
  summary: 'Get the card tags for your own page; in the language of Accept-Language',
  caller: 'public',
})

/** Get the card tags, as a developer. */
export const readShareTagsAsAdmin = endpoint('GET /v1/admin/share/tags', {
  ...Tags,
  summary: 'Get the card tags as a developer or server',
  caller: 'admin',
  role: 'viewer',
  agent: 'read',
})

/** Create a tracked link. */
export const createTrackedLink = endpoint('POST /v1/admin/share/links', {
  summary: 'Create a tracked link; counts the visits from one post or page. At most 1,000 per environment',
  caller: 'admin',
  role: 'developer',
  share: 'links',
  status: 201,
  body: Type.Object({ label: Line(1, LIMITS.shareLabelLengthMax) }),
  agent: 'write',
  response: Type.Object({
    link: TrackedLink,
    url: Nullable(Type.String({ description: 'null while the app has no URL: add the query to your own' })),
    query: Type.String({ description: 'the query to add to a URL', examples: ['ks=shr_7n2q4c9x0k3m'] }),
  }),
  errors: ['too_many_links'],
})

const CardColor = Type.String({
  pattern: '^#[0-9A-Fa-f]{6}$',
  patternErrorMessage: 'must be a color like #ffcc33',
  examples: ['#ffcc33'],
})

/** How a card should look. */
export type CardDesign = Static<typeof CardDesign>
/** For a preview; nothing is stored (DSH-47). */
export const CardDesign = Type.Object({
  kind: Type.Enum(['default', 'score', 'challenge']),
  title: Type.Optional(Line(0, 60)),
  theme: Type.Object({ background: CardColor, accent: CardColor, text: CardColor }),
  score: Type.Optional(Score),
})

/** Draw a card that is not pushed yet. */
export const previewCard = endpoint('POST /v1/projects/:projectId/environments/:env/share/card-preview', {
  summary: `Preview a card; with a title and colors that are not pushed yet, and the live background and font; at most ${LIMITS.cardPreviewsPerMinuteMax} a minute`,
  caller: 'developer',
  role: 'developer',
  params: EnvironmentParams,
  body: CardDesign,
  response: Type.Object({
    png: Type.String({ description: 'a PNG of 1200x600 in base64' }),
    drawn: Type.Boolean({ description: 'false: the plain card, because the service cannot draw right now' }),
    problems: Type.Array(Type.String(), { description: 'why the background or the font is not used' }),
  }),
})

const Sums = { visits: Count, newPlayers: Count, plays: Count }

/** Visits per link and per day. */
export type ShareStats = Static<typeof ShareStats>
/** Days are in UTC; `from` and `to` are included (SHR-05). */
export const ShareStats = Type.Object({
  from: Day,
  to: Day,
  totals: Type.Object(Sums),
  days: Type.Array(Type.Object({ date: Day, ...Sums }), { description: 'every day of the window' }),
  links: Type.Array(
    Type.Object({
      shareId: Type.String(),
      label: Nullable(Type.String({ description: 'of a tracked link' })),
      kind: Nullable(ShareKind),
      ...Sums,
    }),
    { description: 'most visited first; kind is null for a link that was deleted' },
  ),
})

/** Visits, new players and plays per share link. */
export const readShareStats = endpoint('GET /v1/admin/share/stats', {
  summary:
    'Get share statistics; visits, new players and plays per share link, by UTC day; the last 30 days by default, at most 366',
  caller: 'admin',
  role: 'viewer',
  share: 'tracking',
  query: Type.Object({
    from: Type.Optional(Day),
    to: Type.Optional(Day),
    shareId: Type.Optional(Type.String({ maxLength: 128 })),
    limit: Limit(100, 1_000),
  }),
  agent: 'read',
  response: ShareStats,
  errors: ['range_too_long', 'share_link_not_found'],
})

/** An X profile as other players see it. */
export type XProfile = Static<typeof XProfile>
/** Only players who show theirs have one here. A field is null if X did not report it. */
export const XProfile = Type.Object({
  username: Nullable(Type.String({ description: 'the handle, without the leading @' })),
  name: Nullable(Type.String()),
  avatarUrl: Nullable(Type.String()),
})

const OwnXProfile = Type.Object({
  ...XProfile.properties,
  visible: Type.Boolean({ description: 'whether other players may see it' }),
})

/** Get your X profile and whether other players see it. */
export const readXProfile = endpoint('GET /v1/players/me/x-profile', {
  summary: 'Get your X profile and whether other players see it',
  caller: 'player',
  response: OwnXProfile,
  errors: ['x_profile_not_found', 'age_restricted'],
})

/** Show or hide your X profile. */
export const changeXProfile = endpoint('PUT /v1/players/me/x-profile', {
  summary: 'Show or hide your X profile; it is hidden until you show it',
  caller: 'player',
  body: Type.Object({ visible: Type.Boolean() }),
  response: OwnXProfile,
  errors: ['x_profile_not_found', 'age_restricted'],
})

/** X profiles of players who show them. */
export const listXProfiles = endpoint('GET /v1/players/x-profiles', {
  summary: 'Get the X profiles of up to 100 players; only of those who show theirs',
  caller: 'public',
  query: Type.Object({
    ids: Type.String({ minLength: 1, maxLength: 8_192, description: 'player ids, separated by commas' }),
  }),
  response: Type.Object({ profiles: Type.Record(Id, XProfile) }),
})
