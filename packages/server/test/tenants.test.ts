import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type Address, addressesOf } from '@svc/contract/endpoint'
import { endpointList, type NamedEndpoint } from '@svc/contract/endpoints'
import * as fc from 'fast-check'

import { engines, type Service, startService } from '../src/testing/service.ts'
import { valid } from './fuzz/values.ts'

/** Every address of the contract is tried here without being named: a new endpoint is covered on the day it is written. */
const addresses = endpointList.flatMap((endpoint) =>
  addressesOf(endpoint).map((address) => ({ endpoint, address })),
)

type Project = Awaited<ReturnType<Service['newProject']>>
type Parameters = Record<string, string>

const parametersIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
const filled = (path: string, values: Parameters) =>
  path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? '')

/** What is in the caller's own project. A parameter that is not here has to be added before its endpoint can land. */
const ownOf = (project: Project): Parameters => ({
  projectId: project.id,
  env: 'development',
  keyId: project.keys[0]?.id ?? '',
  provider: 'discord',
  version: '1',
})

/** What exists, but in another developer's project; only a parameter that everybody shares has no such value. */
const foreignOf = (project: Project): Parameters => ({
  projectId: project.id,
  keyId: project.keys[1]?.id ?? '',
  version: '2',
})

const UNKNOWN: Parameters = {
  projectId: 'prj_01kgb7zk00e0aaan5t1ckwz9sr',
  env: 'staging',
  keyId: 'key_01kgb7zk00e0aaan5t1ckwz9sr',
  provider: 'myspace',
  version: '999',
}

/** A version is a number, so anything else in its place is a request of the wrong shape, not something unknown. */
const malformedFor = (name: string): string[] =>
  name === 'version'
    ? ['2147483648', '999999999999999']
    : 'nonsense 0 prj_ constructor __proto__ %20 ..%2f.. %E2%80%AE e%CC%81'
        .split(' ')
        .concat([64, 65, 2_000].map((length) => 'x'.repeat(length)))

/** Anything that fits; who removes a sign-in method has to say who they are before they are told whether there is one. */
const bodyFor = ({ name, body }: NamedEndpoint): unknown =>
  name === 'removeIdentity'
    ? { password: 'correct horse' }
    : body && fc.sample(valid(body), { numRuns: 1, seed: 1 })[0]

/** The account of this developer has no external sign-in, so there is no provider of its own to name. */
const hasOwn = (endpoint: NamedEndpoint, name: string) =>
  !(endpoint.name === 'removeIdentity' && name === 'provider')

for (const engine of engines) {
  describe(`tenants on ${engine}`, () => {
    let service: Service
    let other: Project
    before(async () => {
      const offered = { SVC_GITHUB_CLIENT_ID: 'id', SVC_GITHUB_CLIENT_SECRET: 'secret' }
      service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off', ...offered } })
      other = await newProject()
      await other.development.server('PUT', '/v1/config', { audience: 'kids' })
    })
    after(() => service.stop())

    /** A project in which everything exists that a path may name. */
    async function newProject() {
      const project = await service.newProject()
      const { development, developer } = project
      await development.server('PUT', '/v1/config', { audience: 'mixed' })
      await developer.call('PUT', `${development.path}/auth/providers/discord`, {
        clientId: 'id',
        clientSecret: 'secret',
      })
      return project
    }

    async function ask(
      address: Address,
      endpoint: NamedEndpoint,
      values: Parameters,
      caller: Record<string, string>,
    ) {
      const body = bodyFor(endpoint)
      const url = filled(address.path, values)
      const { statusCode, body: text } = await service.http.inject({
        method: address.method,
        url,
        headers: { ...caller, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
      return { status: statusCode, text }
    }

    const callerOf = ({ caller }: Address, { developer, development }: Project): Record<string, string> =>
      caller === 'developer'
        ? { authorization: `Bearer ${developer.token}` }
        : { 'x-svc-key': development.secretKey }

    for (const { endpoint, address } of addresses) {
      for (const name of parametersIn(address.path)) {
        test(`[GEN-23] ${address.method} ${address.path}: a foreign, an unknown and a malformed ${name} answer alike`, async () => {
          const project = await newProject()
          const own = ownOf(project)
          // GitHub is what this service offers to developers, Discord what the project offers to its players.
          if (endpoint.name === 'startSignIn') own['provider'] = 'github'
          assert.ok(
            own[name] && UNKNOWN[name],
            `tell this test what an own, a foreign and an unknown ${name} is`,
          )
          const asking = (value: string) =>
            ask(address, endpoint, { ...own, [name]: value }, callerOf(address, project))

          const unknown = await asking(UNKNOWN[name])
          assert.equal(unknown.status, 404)
          const foreign = foreignOf(other)[name]
          for (const value of [...(foreign ? [foreign] : []), ...malformedFor(name)]) {
            assert.deepEqual(await asking(value), unknown, `${name} = ${value}`)
          }
          if (!hasOwn(endpoint, name)) return
          assert.notDeepEqual(await asking(own[name]), unknown, 'one’s own is there')
        })
      }
    }

    test('[GEN-23] with another developer’s session every project answers as if it were not there', async () => {
      const stranger = await service.newProject()
      for (const { endpoint, address } of addresses.filter(({ address: { path } }) =>
        path.includes(':projectId'),
      )) {
        const caller = { authorization: `Bearer ${stranger.developer.token}` }
        const foreign = await ask(address, endpoint, ownOf(other), caller)
        const unknown = await ask(
          address,
          endpoint,
          { ...ownOf(other), projectId: UNKNOWN['projectId'] ?? '' },
          caller,
        )
        assert.deepEqual(foreign, unknown, `${address.method} ${address.path}`)
        assert.equal(foreign.status, 404)
      }
    })

    test('[GEN-23] [GEN-24] no answer to a developer or a key holds a word of somebody else, nor of the other environment', async () => {
      const mine = await projectOfWords('mine')
      const yours = await projectOfWords('yours')
      const callers = [
        {
          who: 'my session',
          headers: { authorization: `Bearer ${mine.project.developer.token}` },
          hidden: yours.words,
        },
        {
          who: 'my development key',
          headers: { 'x-svc-key': mine.project.development.secretKey },
          hidden: [...yours.words, ...mine.production],
        },
        {
          who: 'my production key',
          headers: { 'x-svc-key': mine.project.production.secretKey },
          hidden: [...yours.words, ...mine.development],
        },
      ]
      for (const { who, headers, hidden } of callers) {
        for (const { endpoint, address } of addresses.filter(({ address: { method } }) => method === 'GET')) {
          const { text } = await ask(address, endpoint, ownOf(mine.project), headers)
          for (const word of hidden) assert.ok(!text.includes(word), `${who}: ${address.path} tells ${word}`)
        }
      }
    })

    test('[GEN-24] nothing that a key of one environment changes is seen in the other', async () => {
      const { project } = await projectOfWords('apart')
      const sides = [project.development, project.production]
      const look = async ({ server }: Project['development']) =>
        JSON.stringify([
          (await server('GET', '/v1/config')).body,
          (await server('GET', '/v1/admin/features')).body,
        ])

      for (const [side, opposite] of [sides, sides.toReversed()]) {
        if (!side || !opposite) continue
        const beforehand = await look(opposite)
        for (const { endpoint, address } of addresses.filter(
          ({ address: { caller } }) => caller === 'server',
        )) {
          if (endpoint.name === 'moveClock') continue
          await ask(address, endpoint, ownOf(project), { 'x-svc-key': side.secretKey })
        }
        assert.equal(await look(opposite), beforehand)
      }
    })

    /** A project whose every text says whose it is. */
    async function projectOfWords(whose: string) {
      const word = (place: string) => `${whose}-${place}-${engine}`
      const developer = await service.newDeveloper(`${word('email')}@example.com`)
      const project = await service.newProject(developer, word('name'))
      for (const side of ['development', 'production'] as const) {
        const { path } = project[side]
        await developer.call('PUT', `${path}/config`, { stats: [{ key: 'score', title: word(side) }] })
        await developer.call('POST', `${path}/keys`, { type: 'secret', label: word(`${side}-label`) })
        await developer.call('PUT', `${path}/auth/providers/discord`, {
          clientId: word(side),
          clientSecret: word('secret'),
        })
      }
      return {
        project,
        words: [word(''), project.id, developer.id, developer.email],
        development: [word('development'), word('development-label')],
        production: [word('production'), word('production-label')],
      }
    }
  })
}
