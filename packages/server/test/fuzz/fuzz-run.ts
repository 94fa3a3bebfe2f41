import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'

import { addressesOf } from '@svc/contract/common/endpoint'
import { endpointList } from '@svc/contract/common/endpoints'
import { messageOf } from '@svc/contract/common/error-messages'
import { ERRORS, type ErrorCode } from '@svc/contract/common/errors'
import * as fc from 'fast-check'

import { assertInContract } from '../../src/testing/contract-check.ts'
import { startFunctionsService } from '../../src/testing/deployed-functions.ts'
import type { Engine, Service } from '../../src/testing/service.ts'
import { type Canary, expiredToken, newFixtures, plantCanary, type Fixtures } from './fixtures.ts'
import { addressOf, bytesOf, describe, type Request } from './request.ts'
import { requestsTo, requestsToPage } from './requests.ts'
import { exchange, type Outcome } from './wire.ts'

export type FuzzOptions = { engine: Engine; requests: number; seed: number }
export type Tally = { target: string; requests: number; byClass: Record<string, number> }
export type FuzzReport = {
  requests: number
  byTarget: Tally[]
  byCode: Map<string, number>
  problems: string[]
  slowestMs: number
}

const PAGES = [
  '/docs',
  '/openapi.json',
  '/metrics',
  '/dashboard',
  '/dashboard/confirm',
  '/v1/developers/oauth/:provider/callback',
]
const TARGETS = endpointList.flatMap((endpoint) =>
  addressesOf(endpoint).map((address) => ({ endpoint, address })),
)
const ROUNDS_PER_FIXTURES = 4
const CONCURRENT = 16
const PROBLEMS_MAX = 100

/**
 * Every path of every endpoint gets the same number of requests. The same seed gives the same requests, except for ids and keys.
 */
export async function fuzz({ engine, requests, seed }: FuzzOptions): Promise<FuzzReport> {
  const service = await startFunctionsService(engine, {
    // Rate limits have their own tests. Here they would reject all requests after the first hundred.
    SVC_RATE_LIMITS: 'off',
    SVC_BILLING: 'on',
    SVC_CARDS: 'off',
    SVC_GITHUB_CLIENT_ID: 'fuzz',
    SVC_GITHUB_CLIENT_SECRET: 'fuzz',
  })
  try {
    return await run(service, requests, seed)
  } finally {
    await service.stop()
  }
}

async function run(service: Service, requests: number, seed: number): Promise<FuzzReport> {
  await service.http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.http.server.address() as AddressInfo
  // In a checkout the first request builds the app, which takes longer than any other answer.
  await service.call('GET', '/dashboard')
  const expired = await expiredToken(service)
  const canary = await plantCanary(service)
  const before = await canary.snapshot()
  const report: FuzzReport = { requests: 0, byTarget: [], byCode: new Map(), problems: [], slowestMs: 0 }

  for (let turn = 0; report.requests < requests && report.problems.length < PROBLEMS_MAX; turn++) {
    const fixtures = await newFixtures(service, expired, canary)
    const waiting = requestsOf(fixtures, seed + turn * 1_000).slice(0, requests - report.requests)
    const work = async () => {
      for (let request = waiting.shift(); request; request = waiting.shift())
        await sendAndCheck(port, request, canary, report)
    }
    await Promise.all(Array.from({ length: CONCURRENT }, work))
  }

  const ready = await service.call('GET', '/readyz')
  if (ready.status !== 200) report.problems.push(`afterwards /readyz answers ${ready.status}`)
  if ((await canary.snapshot()) !== before) report.problems.push('the other tenant’s data has changed')
  return report
}

function requestsOf(fixtures: Fixtures, seed: number): Request[] {
  const kinds = [...TARGETS.map((target) => requestsTo(target, fixtures)), ...PAGES.map(requestsToPage)]
  const lists = kinds.map((kind, i) => fc.sample(kind, { numRuns: ROUNDS_PER_FIXTURES, seed: seed + i }))
  // Ordered by round, so that requests for the same objects run concurrently.
  return Array.from({ length: ROUNDS_PER_FIXTURES }, (_, round) =>
    lists.flatMap((list) => list.slice(round, round + 1)),
  ).flat()
}

async function sendAndCheck(port: number, request: Request, canary: Canary, report: FuzzReport) {
  const startedAt = performance.now()
  const answer = await exchange(port, bytesOf(request), request.incomplete ?? false)
  report.slowestMs = Math.max(report.slowestMs, performance.now() - startedAt)
  count(report, request, answer)
  try {
    check(request, answer, canary)
  } catch (error) {
    const received = typeof answer === 'string' ? answer : `${answer.status} ${answer.text.slice(0, 300)}`
    report.problems.push(`${String(error).split('\n')[0]}\n    ${describe(request)}\n    → ${received}`)
  }
}

function count(report: FuzzReport, { target }: Request, answer: Outcome) {
  report.requests++
  let tally = report.byTarget.find((known) => known.target === target)
  if (!tally) report.byTarget.push((tally = { target, requests: 0, byClass: {} }))
  tally.requests++
  const statusClass = typeof answer === 'string' ? answer : `${Math.floor(answer.status / 100)}xx`
  tally.byClass[statusClass] = (tally.byClass[statusClass] ?? 0) + 1
  const code =
    typeof answer === 'string'
      ? answer
      : (/^\{"error":\{"code":"(\w+)"/.exec(answer.text)?.[1] ?? String(answer.status))
  report.byCode.set(code, (report.byCode.get(code) ?? 0) + 1)
}

/** An unknown leaderboard names those that exist; where developers return to is no setting of the config. */
const OWN_MESSAGES = new Set<ErrorCode>(['leaderboard_not_found', 'redirect_url_not_allowed'])

/** Checks that must hold for every response. */
function check(request: Request, answer: Outcome, canary: Canary) {
  // A client that disconnects in the middle of a request may get no response.
  if (request.incomplete && answer === 'closed without an answer') return
  if (typeof answer === 'string') assert.fail(answer)

  const { status, headers, text } = answer
  assert.ok(status >= 200 && status < 500, `a status of ${status}`)
  assert.match(headers.get('x-request-id') ?? '', /^req_\w+$/, 'no X-Request-Id')
  for (const word of canary.words) assert.ok(!text.includes(word), 'a word of the other tenant')
  if (request.method === 'HEAD' || status === 204) return

  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '')
  assert.ok(isJson || status < 400 || !request.atAddress, 'an error that is not JSON')
  if (!isJson) return
  const body: unknown = JSON.parse(text)
  if (status >= 400) assertErrorShape(status, body)
  if (request.atAddress && status !== ERRORS.headers_too_large.status)
    assertInContract(request.method, addressOf(request), status, body)
}

function assertErrorShape(status: number, body: unknown) {
  type Details = { errors?: { message: string }[] }
  const { error, ...rest } = body as { error: { code: ErrorCode; message: string; details?: Details } }
  assert.deepEqual(rest, {}, 'more than an error')
  assert.ok(error.code in ERRORS, `the code ${error.code}`)
  assert.equal(status, ERRORS[error.code].status)
  // The first problem is the message of an invalid request.
  const first = error.code === 'invalid_request' ? error.details?.errors?.[0]?.message : undefined
  if (first !== undefined) return assert.ok(error.message.startsWith(`${first}.`), error.message)
  if (!OWN_MESSAGES.has(error.code)) assert.equal(error.message, messageOf(error.code, error.details))
}
