import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type Address, addressesOf } from '@svc/contract/common/endpoint'
import { endpointList, type NamedEndpoint } from '@svc/contract/common/endpoints'
import { allowedRolesOf, leastRoleOf, type Role } from '@svc/contract/common/roles'
import type { MemberRole } from '@svc/contract/developers/members'

import { newMember } from '../src/testing/members.ts'
import { answerTo, engines, type Service, startService } from '../src/testing/service.ts'

/**
 * Every endpoint for developers × every role × member, stranger, removed member, from the contract: a new endpoint is covered as soon as
 * it exists.
 */
const rows = endpointList.flatMap((endpoint) =>
  addressesOf(endpoint)
    .filter(({ caller, path }) => caller === 'developer' && path.includes(':projectId'))
    .flatMap((address) =>
      (address.path.includes(':env/') ? (['development', 'production'] as const) : [undefined]).map(
        (environment) => ({ endpoint, address, environment }),
      ),
    ),
)
const MEMBER_ROLES: MemberRole[] = ['admin', 'developer', 'moderator', 'viewer']

const UNKNOWN_PROJECT = 'prj_01kgb7zk00e0aaan5t1ckwz9sr'
/** Nothing has this name: what is allowed finds nothing. */
const PLACE = 'nothing'

for (const engine of engines) {
  describe(`roles on ${engine}`, () => {
    let service: Service
    let projectId: string
    /** Role → token. */
    const members = new Map<Role, string>()
    const removed = new Map<Role, string>()
    let stranger: string

    before(async () => {
      service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off' } })
      const project = await service.newProject()
      projectId = project.id
      members.set('owner', project.developer.token)
      stranger = (await service.newProject()).developer.token
      for (const role of MEMBER_ROLES) {
        members.set(role, (await newMember(service, project, role)).token)
        const former = await newMember(service, project, role)
        const path = `/v1/x/projects/${projectId}/members/${former.id}`
        assert.equal((await project.developer.call('DELETE', path)).status, 200)
        removed.set(role, former.token)
      }
    })
    after(() => service.stop())

    /**
     * Every request that may change something has a body that is not JSON. So it changes nothing, and what gets past the gate is refused
     * for another reason: the gate decides before the body is read.
     */
    async function ask(address: Address, environment: string | undefined, id: string, token: string) {
      const url = address.path
        .replace(':projectId', id)
        .replace(':env', environment ?? '')
        .replace(/:\w+/g, PLACE)
      const { status, text } = await answerTo(service.http, {
        method: address.method as 'GET',
        url,
        headers: {
          authorization: `Bearer ${token}`,
          ...(address.method !== 'GET' && { 'content-type': 'application/json' }),
        },
        ...(address.method !== 'GET' && { payload: '{' }),
      })
      return { status, text }
    }

    const nameOf = ({ name }: NamedEndpoint, environment: string | undefined, who: string) =>
      `${name} in ${environment ?? 'the project'} as ${who}`

    test('[TEA-01] [TEA-02] [TEA-03] [TEA-04] [TEA-05] every endpoint accepts exactly the roles that it names', async () => {
      for (const { endpoint, address, environment } of rows) {
        const least = leastRoleOf(endpoint.role, environment) ?? assert.fail(endpoint.name)
        const allowed = allowedRolesOf(least)
        for (const [role, token] of members) {
          const { status, text } = await ask(address, environment, projectId, token)
          const what = nameOf(endpoint, environment, role)
          const error = status >= 400 ? JSON.parse(text).error : undefined
          assert.ok(status < 500, `${what}: ${status}`)
          if (allowed.includes(role)) {
            assert.notEqual(error?.code, 'role_required', what)
            assert.notEqual(error?.code, 'project_not_found', what)
            continue
          }
          assert.equal(status, 403, what)
          assert.equal(error.code, 'role_required', what)
          assert.deepEqual(error.details, { role, requiredRole: allowed.at(-1), allowedRoles: allowed }, what)
        }
      }
    })

    test('[TEA-02] [TEA-07] [GEN-23] to a stranger and a removed member the project does not exist', async () => {
      const others = [['a stranger', stranger] as const, ...removed]
      for (const { endpoint, address, environment } of rows) {
        for (const [who, token] of others) {
          const what = nameOf(endpoint, environment, who)
          const answer = await ask(address, environment, projectId, token)
          assert.equal(answer.status, 404, what)
          assert.equal(JSON.parse(answer.text).error.code, 'project_not_found', what)
          if (who !== 'a stranger') continue
          assert.deepEqual(answer, await ask(address, environment, UNKNOWN_PROJECT, token), what)
        }
      }
    })

    test('[TEA-01] nothing of the matrix has changed the project', async () => {
      const { status, body } = await service.withToken(members.get('owner') ?? '')(
        'GET',
        `/v1/x/projects/${projectId}/members`,
      )
      assert.equal(status, 200)
      assert.deepEqual(
        body.members.map(({ role }: { role: string }) => role),
        ['owner', ...MEMBER_ROLES],
      )
    })

    test('[TEA-25] the money of the owner is not that of the project: members see their own', async () => {
      for (const [role, token] of members) {
        const { status, body } = await service.withToken(token)('GET', '/v1/money/prepaid')
        assert.equal(status, 200, role)
        assert.equal(body.balance, 0, role)
      }
    })
  })
}
