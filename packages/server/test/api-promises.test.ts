import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { ERRORS, type ErrorCode } from '@svc/contract/common/errors'

import { apiLines, breaksIn } from './api-lines.ts'

/** The error table of the specification. */
const TABLE: Partial<Record<ErrorCode, number>> = {
  token_expired: 401,
  refresh_race: 409,
  last_login_method: 409,
  provider_disabled: 404,
  provider_not_configured: 409,
  origin_not_allowed: 403,
  feature_disabled: 403,
  feature_unavailable: 403,
  version_conflict: 409,
  save_too_large: 413,
  too_many_saves: 409,
  player_not_found: 404,
  age_change_not_allowed: 403,
  share_images_disabled: 404,
  share_tags_disabled: 404,
  share_links_disabled: 404,
  share_tracking_disabled: 404,
  share_inAppBrowser_disabled: 404,
  x_signin_unavailable: 402,
  blobs_missing: 409,
  prepaid_required: 402,
  invalid_invite_code: 400,
  invite_code_used: 409,
  already_redeemed: 409,
  name_reserved: 400,
  channel_not_found: 404,
  voice_in_use: 409,
}

// Every response in these tests is compared with the contract, so a code that a test expects has the status of the contract.
const root = join(import.meta.dirname, '..')
const tests = globSync('{src,test}/**/*.test.ts', { cwd: root })
  .filter((path) => !path.endsWith('api-promises.test.ts'))
  .map((path) => readFileSync(join(root, path), 'utf8'))
const isExpected = (code: string) =>
  tests.some((text) => text.includes(`'${code}'`) || text.includes(`/${code}/`))

test('[ERR-02] every code of the error table has its status, and a test expects it', () => {
  for (const [code, status] of Object.entries(TABLE)) {
    assert.equal(ERRORS[code as ErrorCode].status, status, code)
    assert.ok(isExpected(code), `no test expects ${code}`)
  }
})

test('a planted fault is found: a code that no test expects', () => {
  assert.equal(isExpected(['no', 'such', 'code'].join('_')), false)
})

test('[ERR-03] /v1 only grows: everything of the released API is still there, with the same type', () => {
  const released = readFileSync(join(import.meta.dirname, 'released-api.txt'), 'utf8')
    .trimEnd()
    .split('\n')

  assert.deepEqual(breaksIn(released, apiLines()), [])
})

test('a planted fault is found: a removed field, another type, another status, a field that requests must have now', () => {
  const released = [
    'POST /v1/a',
    'POST /v1/a 200 json.x: string',
    'POST /v1/a 200 json.y: string',
    'error z 404',
  ]
  const current = [
    'POST /v1/a',
    'POST /v1/a 200 json.y?: string',
    'error z 403',
    'required POST /v1/a body json.n',
    'required POST /v1/a body json.optional.n',
    'required POST /v1/new body json.n',
  ]

  assert.deepEqual(breaksIn(released, current), [
    'gone or of another type: POST /v1/a 200 json.x: string',
    'gone or of another type: POST /v1/a 200 json.y: string',
    'gone or of another type: error z 404',
    'newly required POST /v1/a body json.n',
  ])
  assert.deepEqual(breaksIn(released, [...released, 'POST /v1/a body json.n: string', 'POST /v1/b']), [])
})
