import type { Readable } from 'node:stream'

import { type CompressedFile, compressedFile, type Representation } from '../../platform/compressed-file.ts'
import { isKnown } from '../../platform/conditions.ts'
import { escapeHtml, htmlPage } from '../../platform/pages.ts'

/** What the edge writes to a visitor. Headers are name, value, name, value … */
export type AppAnswer = { status: number; headers: string[]; body?: Buffer | Readable }

const COMMON = ['X-Content-Type-Options', 'nosniff']

/** A small page of our own, where the app has none. */
export type BuiltInPage = { status: number; headers: string[]; file: CompressedFile }

export function messagePage(
  status: number,
  title: string,
  text: string,
  headers: string[] = [],
): BuiltInPage {
  const page = htmlPage({ title, main: `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>` })
  const type = ['Content-Type', 'text/html; charset=utf-8']
  return {
    status,
    headers: [...COMMON, ...Object.entries(page.headers).flat(), ...type, ...headers],
    file: compressedFile(page.body),
  }
}

/** As it is sent to a client with this Accept-Encoding. */
export async function answerOf({ status, headers, file }: BuiltInPage, acceptEncoding: string | undefined) {
  const chosen = await file(acceptEncoding)
  return { status, headers: [...headers, ...lengthAndEncoding(chosen)], body: chosen.body }
}

const lengthAndEncoding = ({ body, encoding }: Representation): string[] => [
  'Vary',
  'Accept-Encoding',
  'Content-Length',
  String(body.length),
  ...(encoding ? ['Content-Encoding', encoding] : []),
]

export const NO_APP = messagePage(404, 'There is no app here', 'Check the address, or deploy one.')
export const OFF = messagePage(404, 'Hosting is off', 'This app is not served at the moment.')
export const SUSPENDED = messagePage(
  404,
  'This app was suspended',
  'The operator of this service has taken it down.',
)
export const NOT_FOUND = messagePage(404, 'Not found', 'There is nothing at this address.')
/** Browsers ask every page for an icon, and print a 404 as an error. */
export const NO_ICON: AppAnswer = { status: 204, headers: [...COMMON, 'Cache-Control', 'no-cache'] }
export const BAD_ADDRESS = messagePage(400, 'Bad address', 'No browser writes an address like this one.')
export const NO_SUCH_METHOD = messagePage(405, 'Method not allowed', 'An app is only ever read.', [
  'Allow',
  'GET, HEAD',
])

/** Something the service itself has to say to the app; any page may read it, because a game under development runs elsewhere. */
export function ownFile(type: string, chosen: Representation, ifNoneMatch: string | undefined): AppAnswer {
  const headers = [
    ...COMMON,
    'Access-Control-Allow-Origin',
    '*',
    'Cache-Control',
    'no-cache',
    'ETag',
    chosen.etag,
    'Content-Type',
    type,
    ...lengthAndEncoding(chosen),
  ]
  return isKnown(ifNoneMatch, chosen.etag)
    ? { status: 304, headers }
    : { status: 200, headers, body: chosen.body }
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
