import type { Group } from './contents.ts'
import { type Html, html } from './html.ts'

const ABOUT: Record<string, string> = {
  api: 'Every endpoint with its callers, fields and errors, and a form to try it.',
  reference: 'SDK reference, settings, errors and commands.',
}

/** The first page: all pages, each with a line about it. */
export const homePage = (contents: readonly Group[]): Html =>
  html`<p class="lead">
      Build a game or app on svc, and run it. New here? Start with
      <a href="/docs/guide/first-steps">First steps</a>. Every code example of the guide is tested.
    </p>
    ${groupCards(contents)}
    <p class="small soft">
      Machine-readable: <a class="link" href="/openapi.json">openapi.json</a>,
      <a class="link" href="/llms.txt">llms.txt</a>, <a class="link" href="/llms-full.txt">llms-full.txt</a>;
      add <code>.md</code> to the URL of any page of the guide or the reference.
    </p>`

/** For an address below /docs that does not exist: all pages, and the search that every page has. */
export const notFoundPage = (contents: readonly Group[]): Html =>
  html`<p class="lead">
      There is no page at this URL. Press <kbd>/</kbd> to search the docs, or choose a page below.
    </p>
    ${groupCards(contents)}`

const groupCards = (contents: readonly Group[]): Html =>
  html`${contents.map(
    ({ id, title, links }) =>
      html`<section class="home" id="${id}">
        <h2>${title}</h2>
        ${ABOUT[id] !== undefined && html`<p class="soft">${ABOUT[id]}</p>`}
        <ul class="cards">
          ${links.map(
            ({ href, title: name, about }) =>
              html`<li>
                <a href="${href}"><strong>${name}</strong><span>${about}</span></a>
              </li>`,
          )}
        </ul>
      </section>`,
  )}`
