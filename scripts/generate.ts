import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { ConfigDocument } from '@svc/contract/config-document'
import { addressesOf } from '@svc/contract/endpoint'
import { type NamedEndpoint, PARTS } from '@svc/contract/endpoints'
import { ERRORS } from '@svc/contract/errors'
import { openApi } from '@svc/contract/openapi'

import { settingsTable } from '../packages/server/src/settings.ts'

/** Writes what is never edited by hand (`npm run generate`); with --check only says which files are stale. */

const root = join(import.meta.dirname, '..')
const NOTE = '<!-- Written by `npm run generate`; do not edit. -->'

/** Path → contents. The same sources always give the same bytes. */
export const generatedFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ['docs/openapi.json', json(openApi({ baseUrl: 'http://localhost:8787', version: version() }))],
    ['docs/endpoints.md', endpointsPage()],
    ['docs/errors.md', errorsPage()],
    [
      'docs/svc.config.schema.json',
      json({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...ConfigDocument }),
    ],
    ['docs/settings.md', settingsPage()],
  ])

/** Those of the files that are missing or differ; `read` answers undefined for what is not there. */
export const staleAmong = (
  files: ReadonlyMap<string, string>,
  read: (path: string) => string | undefined,
): string[] => [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path)

export function readCurrent(path: string): string | undefined {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

const version = (): string => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const page = (title: string, ...blocks: string[]) => `${[`# ${title}`, NOTE, ...blocks].join('\n\n')}\n`

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A reader of Markdown takes `<slug>` for a tag, except in code. */
const words = (text: string) => text.replace(/`[^`]*`|</g, (found) => (found === '<' ? '&lt;' : found))

const code = (text: string) => `\`${text}\``

function endpointsPage(): string {
  const blocks = PARTS.flatMap(({ title, about, endpoints }) => [
    `## ${title}`,
    about,
    table(['Address', 'Caller', 'What it does', 'Its own refusals'], endpoints.flatMap(endpointRows)),
  ])
  return page(
    'Endpoints',
    'The same with every field, and with a form to try each, is at `/docs` of a running service. ' +
      'What any call may answer beside its own refusals is in [errors.md](errors.md).',
    ...blocks,
  )
}

function endpointRows(endpoint: NamedEndpoint): string[][] {
  const { summary, feature, errors = [] } = endpoint
  const what = feature ? `${words(summary)} (feature ${code(feature)})` : words(summary)
  return addressesOf(endpoint).map(({ method, path, caller }, index) =>
    index === 0
      ? [code(`${method} ${path}`), caller, what, errors.map(code).join(' ')]
      : [code(`${method} ${path}`), caller, 'the same', ''],
  )
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([name, { status, message }]) => [
    String(status),
    code(name),
    words(message),
  ])
  return page(
    'Errors',
    'Every refusal has the body `{ "error": { "code", "message", "details"? } }`. Decide by the code.',
    table(['Status', 'Code', 'Message'], rows),
  )
}

function settingsPage(): string {
  const rows = settingsTable().map(({ name, default: byDefault, description }) => [
    code(name),
    byDefault === '' ? '' : code(byDefault),
    words(description),
  ])
  return page(
    'Settings',
    'Environment variables of the server. None is needed to start; all problems are reported at once, by name.',
    table(['Variable', 'Default', 'Meaning'], rows),
  )
}

function main() {
  const files = generatedFiles()
  const checkOnly = process.argv.includes('--check')
  for (const path of staleAmong(files, readCurrent)) {
    if (checkOnly) process.exitCode = 1
    else writeFileSync(join(root, path), files.get(path) ?? '')
    console.log(`${checkOnly ? 'stale' : 'written'}: ${path}`)
  }
}

if (import.meta.main) main()
