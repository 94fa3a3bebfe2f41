import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'

import { escapeHtml, htmlPage } from '../../platform/pages.ts'

/** What the edge writes to a visitor. Headers are name, value, name, value … */
export type AppAnswer = { status: number; headers: string[]; body?: Buffer | Readable }

const COMMON = ['X-Content-Type-Options', 'nosniff']

/** A small page of our own, where the app has none. */
export function sayingPage(status: number, title: string, text: string, headers: string[] = []): AppAnswer {
  const page = htmlPage({ title, main: `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>` })
  const body = Buffer.from(page.body)
  return {
    status,
    headers: [
      ...COMMON,
      ...Object.entries(page.headers).flat(),
      'Content-Type',
      'text/html; charset=utf-8',
      'Content-Length',
      String(body.length),
      ...headers,
    ],
    body,
  }
}

export const NO_APP = sayingPage(404, 'There is no app here', 'Check the address, or deploy one.')
export const OFF = sayingPage(404, 'Hosting is off', 'This app is not served at the moment.')
export const SUSPENDED = sayingPage(
  404,
  'This app was suspended',
  'The operator of this service has taken it down.',
)
export const NOT_FOUND = sayingPage(404, 'Not found', 'There is nothing at this address.')
/** Browsers ask every page for an icon, and print a 404 as an error. */
export const NO_ICON: AppAnswer = { status: 204, headers: [...COMMON, 'Cache-Control', 'no-cache'] }
export const BAD_ADDRESS = sayingPage(400, 'Bad address', 'No browser writes an address like this one.')
export const NO_SUCH_METHOD = sayingPage(405, 'Method not allowed', 'An app is only ever read.', [
  'Allow',
  'GET, HEAD',
])

/** Something the service itself has to say to the app; any page may read it, because a game under development runs elsewhere. */
export function ownFile(type: string, body: Buffer): { etag: string; answer: AppAnswer } {
  const etag = `"${hash('sha256', body)}"`
  const headers = [
    ...COMMON,
    'Access-Control-Allow-Origin',
    '*',
    'Cache-Control',
    'no-cache',
    'ETag',
    etag,
    'Content-Type',
    type,
    'Content-Length',
    String(body.length),
  ]
  return { etag, answer: { status: 200, headers, body } }
}

export const redirectTo = (location: string): AppAnswer => ({
  status: 302,
  headers: [...COMMON, 'Cache-Control', 'no-cache', 'Location', location, 'Content-Length', '0'],
})

export const noSuchBytes = (size: number): AppAnswer => ({
  status: 416,
  headers: [
    ...COMMON,
    'Cache-Control',
    'no-store',
    'Content-Range',
    `bytes */${size}`,
    'Content-Length',
    '0',
  ],
})

export const notModified = (headers: string[]): AppAnswer => ({ status: 304, headers })
