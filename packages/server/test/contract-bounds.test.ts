import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { addressesOf } from '@svc/contract/common/endpoint'
import { endpointList, type NamedEndpoint } from '@svc/contract/common/endpoints'
import { FEATURES } from '@svc/contract/common/features'
import { exampleOf } from '@svc/docs/api/examples'

import { newGuest } from '../src/testing/guests.ts'
import { type Answer, type Call, engines, type Service, startService } from '../src/testing/service.ts'

type Shape = {
  type?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
}

/** The top-level strings and numbers of a body, with their bounds. */
const fieldsOf = ({ body }: NamedEndpoint): [name: string, shape: Shape][] =>
  Object.entries((body as { properties?: Record<string, Shape> } | undefined)?.properties ?? {})

/** Strings of this length that the field accepts, if any are found. */
function textsOf(length: number, { pattern = '' }: Shape): string[] {
  const language = `aa${'-aaaaaaaa'.repeat(10)}`.slice(0, length)
  const candidates = ['a'.repeat(length), `${'a'.repeat(Math.max(0, length - 4))}@b.c`, language]
  return candidates
    .filter((text) => text.length === length && new RegExp(pattern, 'u').test(text))
    .slice(0, 1)
}

/** Values at each bound, and one past it. */
function edgesOf(shape: Shape): { taken: unknown[]; refused: unknown[] } {
  const { type, minLength, maxLength, minimum, maximum } = shape
  if (type === 'string' && maxLength !== undefined)
    return {
      taken: [...textsOf(maxLength, shape), ...textsOf(minLength ?? 0, shape)],
      refused: ['a'.repeat(maxLength + 1), ...(minLength ? ['a'.repeat(minLength - 1)] : [])],
    }
  if (type === 'integer' || type === 'number')
    return {
      taken: [minimum, maximum].filter((bound) => bound !== undefined),
      refused: [
        ...(minimum === undefined ? [] : [minimum - 1]),
        ...(maximum === undefined ? [] : [maximum + 1]),
      ],
    }
  return { taken: [], refused: [] }
}

for (const engine of engines) {
  describe(`the bounds of the contract, on ${engine}`, () => {
    let service: Service
    let callers: Record<string, Call>
    let project: Awaited<ReturnType<Service['newProject']>>
    before(async () => {
      service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off' } })
      project = await service.newProject(await service.newOperator())
      const features = Object.fromEntries(Object.keys(FEATURES).map((name) => [name, true]))
      const share = Object.fromEntries(
        ['images', 'links', 'tracking', 'inAppBrowser'].map((tool) => [tool, { enabled: true }]),
      )
      const pushed = await project.development.server('PUT', '/v1/config', { features, share })
      assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
      const guest = await newGuest(project.development)
      callers = {
        none: service.call,
        public: project.development.public,
        player: guest.call,
        server: project.development.server,
        developer: project.developer.call,
        operator: project.developer.call,
      }
    })
    after(() => service.stop())

    let keys = 0
    const params = { projectId: () => project.id, env: () => 'development' } as Record<string, () => string>
    const isRefused = ({ body }: Answer, field: string) =>
      body.error?.code === 'invalid_request' &&
      body.error.details.errors.some(({ path }: { path: string }) => path === `$.${field}`)

    // The fields of credentials are mutually exclusive.
    const checked = endpointList.filter(
      (endpoint) =>
        !endpoint.rawMember && fieldsOf(endpoint).length > 0 && endpoint.name !== 'writeProviderCredentials',
    )
    for (const endpoint of checked) {
      test(`[GEN-06] ${endpoint.route}`, async () => {
        const [address] = addressesOf(endpoint)
        assert.ok(address)
        const path = address.path.replace(/:(\w+)/g, (_, name: string) => params[name]?.() ?? 'google')
        const example = exampleOf(endpoint.body as never) as Record<string, unknown>
        for (const [name, shape] of fieldsOf(endpoint)) {
          const { taken, refused } = edgesOf(shape)
          for (const [values, expected] of [
            [taken, false],
            [refused, true],
          ] as const) {
            for (const value of values) {
              const headers = endpoint.idempotent === 'required' ? { 'idempotency-key': `${++keys}` } : {}
              const body = { ...example, [name]: value }
              const answer: Answer | undefined = await callers[address.caller]?.(
                address.method,
                path,
                body,
                headers,
              )
              assert.ok(answer && answer.status < 500, `${name} ${String(value)}`)
              const said: string = `${name} = ${JSON.stringify(value).slice(0, 80)}: ${JSON.stringify(answer.body).slice(0, 300)}`
              assert.equal(isRefused(answer, name), expected, said)
            }
          }
        }
      })
    }

    test('an integer without an upper bound may be as large as JSON allows', async () => {
      const guest = await newGuest(project.development)
      for (const ifVersion of [1e15, Number.MAX_SAFE_INTEGER, 2 ** 63, 1e300]) {
        const { status } = await guest.call('PUT', '/v1/saves/slot', { data: 1, ifVersion })
        assert.equal(status, 409, String(ifVersion))
      }
    })
  })
}
