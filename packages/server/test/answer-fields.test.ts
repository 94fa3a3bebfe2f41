import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { PARTS } from '@svc/contract/common/endpoints'
import type { Shape } from '@svc/contract/common/json-schema'

/**
 * The rules about the endpoints of each part of the contract, by their prefixes. A field of an answer must be named in one of them, or in
 * the part's row of the table below GEN-54.
 */
const RULES_OF: Record<string, string> = {
  players: 'PLY AUT OAU STA SAV BAN AGE OWN',
  sessions: 'SES PLY AUT TRF TOK BAN',
  'player-sign-in': 'OAU AUT PLY SES',
  moderation: 'BAN APL AGE',
  news: 'NWS',
  saves: 'SAV',
  stats: 'STA CFG',
  leaderboards: 'LDB',
  sharing: 'SHR',
  rooms: 'ROM RWC',
  channels: 'CHN VOI',
  developers: 'DEV',
  'developer-sign-in': 'DEV OAU',
  projects: 'DEV DSH',
  members: 'TEA',
  config: 'CFG LDB',
  providers: 'OAU',
  agents: 'AGT',
  hosting: 'HST',
  functions: 'FUN',
  'live-view': 'ROM RWC CHN',
  money: 'MON',
  operator: 'OPS DSH',
  audit: 'AUD',
  requests: 'DSH',
  mail: 'DSH',
  platform: 'OPS DEV GEN',
}

const document = readFileSync(join(import.meta.dirname, '../../../docs/spec-rules.md'), 'utf8')

/** The names between backquotes. */
const namesIn = (text: string) =>
  [...text.matchAll(/`([^`]*)`/g)].flatMap(([, quoted = '']) => quoted.match(/[$\w]+/g) ?? [])

function namedFor(part: string, text: string): Set<string> {
  const prefixes = (RULES_OF[part] ?? assert.fail(`no rules for the part ${part}`)).split(' ')
  const lines = text.split('\n')
  const rules = lines.filter((line) => prefixes.includes(/^- ([A-Z]{3})-\d/.exec(line)?.[1] ?? ''))
  const rows = lines.filter((line) => line.startsWith(`  | ${part} |`))
  return new Set([...rules, ...rows].flatMap(namesIn))
}

function* fieldsOf(shape: Shape): Generator<string> {
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    yield name
    yield* fieldsOf(field)
  }
  const inner = [...(shape.anyOf ?? []), ...Object.values(shape.patternProperties ?? {}), shape.items]
  for (const one of inner) if (one) yield* fieldsOf(one)
}

/** Fields of answers that no rule names, as `part: endpoint.field`. */
const unnamedIn = (text: string) =>
  PARTS.flatMap(({ id, endpoints }) => {
    const named = namedFor(id, text)
    return endpoints.flatMap(({ name, response }) =>
      [...new Set(fieldsOf(response as Shape))]
        .filter((field) => !named.has(field))
        .map((field) => `${id}: ${name} ${field}`),
    )
  })

test('[GEN-54] every field of an answer is named by a rule of its part, or in the table', () => {
  assert.deepEqual(unnamedIn(document), [])
})

test('[GEN-54] the table names no field that no answer of the part has', () => {
  const rows = [...document.matchAll(/^ {2}\| ([a-z-]+) \| (.*`.*) \|$/gm)]
  assert.ok(rows.length > 10)
  for (const [, part = '', fields = ''] of rows) {
    const found = PARTS.find(({ id }) => id === part) ?? assert.fail(part)
    const known = new Set(found.endpoints.flatMap(({ response }) => [...fieldsOf(response as Shape)]))
    assert.deepEqual(
      namesIn(fields.replaceAll(/\([^)]*\)/g, '')).filter((name) => !known.has(name)),
      [],
      part,
    )
  }
})

test('a planted fault is found: a field that no rule names', () => {
  const without = document.replace(/`rooms` \(/, '(')
  assert.ok(unnamedIn(without).includes('functions: readFunctions rooms'))
})
