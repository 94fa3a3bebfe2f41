import { MOVED } from './anchors.ts'
import type { Group, Link } from './contents.ts'
import { type Html, html } from './html.ts'

/** Addresses of the style sheet, the scripts and the font, which the build of the dashboard writes to `docs.json`. */
export type Assets = { style: string; theme: string; script: string; font: string }

export type FramedPage = {
  title: string
  /** The address of the page. */
  here: string
  /** What follows the title. */
  main: Html
  /** What stands on the page, to jump to. */
  headings?: readonly { id: string; text: string; depth?: number }[]
  /** The address of the same text as Markdown. */
  markdown?: string
  /** The first paragraph, for previews of a link and for search engines. */
  lead?: string
  isWide?: boolean
}

type FrameOptions = { assets: Assets; contents: readonly Group[]; version: string }

/** Headings below this depth are not listed beside the page. */
const LISTED_DEPTH_MAX = 3
/** What search engines and previews show of a description. */
const DESCRIPTION_CHARACTERS_MAX = 160

/** A whole page: bar, contents, text, what is on the page, the pages before and after. Everything can be read without script. */
export function framed(page: FramedPage, { assets, contents, version }: FrameOptions): string {
  const { title, here, main, headings = [], markdown, lead, isWide = false } = page
  const steps = contents.flatMap(({ title: group, links }) => links.map((link) => ({ ...link, group })))
  const at = steps.findIndex(({ href }) => href === here)
  const listed = headings.filter(({ depth = 2 }) => depth <= LISTED_DEPTH_MAX)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · svc docs</title>
        <meta name="description" content="${descriptionOf(steps[at]?.about ?? title, lead)}" />
        <link
          rel="icon"
          href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%2316161a'/%3E%3Cpath d='M8 12.2 16 7.4l8 4.8v6.4l-8 4.8-8-4.8zM8.4 12.5l7.6 4.3 7.6-4.3M16 16.8v6.6' fill='none' stroke='%23fff' stroke-width='1.6' stroke-linejoin='round'/%3E%3C/svg%3E"
        />
        ${markdown && html`<link rel="alternate" type="text/markdown" href="${markdown}" />`}
        <link rel="preload" href="${assets.font}" as="font" type="font/woff2" crossorigin />
        <link rel="stylesheet" href="${assets.style}" />
        <script src="${assets.theme}"></script>
        <script type="module" src="${assets.script}"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${topBar(version)}
        <div class="columns">
          ${navigation(contents, here)}
          <main id="content" tabindex="-1" class="${isWide ? 'wide' : 'text'}">
            <h1>${title}</h1>
            ${listed.length > 1 && onThisPage(listed, 'inside')} ${main} ${movedLinks(here)}
            ${footer(steps[at - 1], steps[at], at < 0 ? undefined : steps[at + 1], markdown)}
          </main>
          ${listed.length > 1 && onThisPage(listed, 'beside')}
        </div>
      </body>
    </html>`.html
}

/** What the contents say about the page, and how it begins. */
function descriptionOf(about: string, lead = ''): string {
  const text = `${about.charAt(0).toUpperCase()}${about.slice(1).replace(/\.?$/, '.')} ${lead}`.trim()
  if (text.length <= DESCRIPTION_CHARACTERS_MAX) return text
  return `${text.slice(0, text.lastIndexOf(' ', DESCRIPTION_CHARACTERS_MAX - 2)).replace(/[,:;]$/, '')} …`
}

const topBar = (version: string): Html =>
  html`<header class="top">
    <a class="brand" href="/docs">
      <svg class="icon" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M3 8.4 12 3l9 5.4v7.2L12 21l-9-5.4zM3.4 8.7 12 13.6l8.6-4.9M12 13.6V21" />
      </svg>
      svc docs <span class="version">${version}</span>
    </a>
    <div class="search for-script">
      <svg class="icon" width="15" height="15" viewBox="0 0 24 24" aria-hidden="true">
        <path d="m21 21-4.34-4.34M19 11a8 8 0 1 1-16 0 8 8 0 0 1 16 0" />
      </svg>
      <input
        class="input"
        id="search"
        type="search"
        placeholder="Search the docs"
        aria-label="Search the docs"
        autocomplete="off"
        spellcheck="false"
        aria-keyshortcuts="/"
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
    <a class="top-link" href="/dashboard">Dashboard</a>
    <button type="button" class="button quiet square for-script" id="theme" aria-label="Light or dark">
      <svg class="icon" width="16" height="16" viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="12" cy="12" r="9" />
        <path class="half" d="M12 3a9 9 0 0 0 0 18z" />
      </svg>
    </button>
  </header>`

/**
 * In the guide all of its groups are open; on a narrow screen the script leaves only that of the page open. There the style folds the
 * list before the first paint, if the page has a script that can unfold it.
 */
function navigation(contents: readonly Group[], here: string): Html {
  const own = contents.find(({ links }) => links.some(({ href }) => href === here))
  return html`<nav class="contents" aria-label="Pages">
    <button type="button" class="fold for-script" aria-expanded="false" aria-controls="docs-contents">
      Contents
    </button>
    <div class="pages" id="docs-contents">
      ${contents.map((group) => {
        const isOpen = group === own || (group.kind === 'guide' && (own?.kind ?? 'guide') === 'guide')
        return html`<details class="group" ${isOpen && html` open`}>
          <summary>${group.title}</summary>
          <ul>
            ${group.links.map(({ href, title: name }) => {
              const current = href === here ? html` aria-current="page"` : ''
              return html`<li><a href="${href}" ${current}>${name}</a></li>`
            })}
          </ul>
        </details>`
      })}
    </div>
  </nav>`
}

/** A script goes on to where a heading is now. */
const movedLinks = (here: string): Html =>
  html`${Object.entries(MOVED[here] ?? {}).map(([id, href]) => html`<a class="moved" id="${id}" href="${href}" hidden></a>`)}`

/** Twice: beside the text on a wide screen, folded above it on a narrow one; the style shows one of them. */
const onThisPage = (headings: NonNullable<FramedPage['headings']>, where: 'inside' | 'beside'): Html => {
  const list = html`<ul>
    ${headings.map(
      ({ id, text, depth = 2 }) => html`<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`,
    )}
  </ul>`
  if (where === 'beside')
    return html`<nav class="on-this-page beside" aria-label="On this page">
      <h2>On this page</h2>
      ${list}
    </nav>`
  return html`<details class="on-this-page inside">
    <summary>On this page</summary>
    ${list}
  </details>`
}

type Step = Link & { group: string }

/** The step into another group names it. */
function footer(
  before: Step | undefined,
  own: Step | undefined,
  after: Step | undefined,
  markdown: string | undefined,
): Html {
  const labelOf = (label: string, { group }: Step) => (group === own?.group ? label : `${label} · ${group}`)
  return html`<footer class="foot">
    <div class="steps">
      ${
        before &&
        html`<a class="step" href="${before.href}" rel="prev"
          ><small>${labelOf('Previous', before)}</small>${before.title}</a
        >`
      }
      ${
        after &&
        html`<a class="step next" href="${after.href}" rel="next"
          ><small>${labelOf('Next', after)}</small>${after.title}</a
        >`
      }
    </div>
    ${markdown && html`<p class="faint small"><a class="link" href="${markdown}">This page as Markdown</a></p>`}
  </footer>`
}
