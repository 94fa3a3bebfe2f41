import type { Group } from './contents.ts'
import { type Html, html } from './html.ts'

const ABOUT: Record<string, string> = {
  guide: 'From the first start to several machines. A test runs every example.',
  api: 'Every endpoint with its callers, fields and errors, and a form to try it.',
  reference: 'The SDK name by name, and the tables of everything else.',
}

/** The first page: all pages, each with a line about it. */
export const homePage = (contents: readonly Group[]): Html =>
  html`<p class="lead">
      How to build a game or an app on this service, and how to run it. New here? Begin with
      <a href="/docs/guide/first-steps">First steps</a>.
    </p>
    ${contents.map(
      ({ id, title, links }) =>
        html`<section class="home" id="${id}">
          <h2>${title}</h2>
          <p class="soft">${ABOUT[id]}</p>
          <ul class="cards">
            ${links.map(
              ({ href, title: name, about }) =>
                html`<li>
                  <a href="${href}"><strong>${name}</strong><span>${about}</span></a>
                </li>`,
            )}
          </ul>
        </section>`,
    )}
    <p class="small soft">
      For programs: <a class="link" href="/openapi.json">openapi.json</a>,
      <a class="link" href="/llms.txt">llms.txt</a>, and every page of the guide and the reference as Markdown
      at its address with <code>.md</code>.
    </p>`
