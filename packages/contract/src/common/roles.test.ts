import assert from 'node:assert/strict'
import { test } from 'node:test'

import { addressesOf, errorsOf } from './endpoint.ts'
import { endpointList } from './endpoints.ts'
import { allowedRolesOf, allowsRole, leastRoleOf, ROLES, type Role, roleText } from './roles.ts'

const forDevelopers = endpointList.filter(({ caller }) => caller === 'developer' || caller === 'admin')
const pathOf = (endpoint: (typeof forDevelopers)[number]) =>
  addressesOf(endpoint).find(({ caller }) => caller === 'developer')?.path ?? ''

test('[TEA-01] every endpoint for developers names its least role, and no other endpoint does', () => {
  for (const endpoint of endpointList) {
    const isForDevelopers = forDevelopers.includes(endpoint)
    assert.equal(endpoint.role !== undefined, isForDevelopers, `${endpoint.name}: role`)
  }
})

test('[TEA-01] an endpoint of a project has a role of the project; one of the own account has none', () => {
  for (const endpoint of forDevelopers) {
    const isOfProject = pathOf(endpoint).includes(':projectId')
    assert.equal(endpoint.role !== 'account', isOfProject, endpoint.name)
    assert.equal(errorsOf(endpoint).includes('role_required'), isOfProject, endpoint.name)
  }
})

test('[TEA-01] a role depends on the environment only where the path names one', () => {
  for (const endpoint of forDevelopers) {
    const { role } = endpoint
    if (typeof role === 'object' && 'production' in role)
      assert.ok(pathOf(endpoint).includes(':env/'), endpoint.name)
  }
})

test('[TEA-01] a role includes those below it; developers and moderators do not include each other', () => {
  const expected: Record<Role, Role[]> = {
    owner: ['owner'],
    admin: ['owner', 'admin'],
    developer: ['owner', 'admin', 'developer'],
    moderator: ['owner', 'admin', 'moderator'],
    viewer: [...ROLES],
  }
  for (const least of ROLES) {
    assert.deepEqual(allowedRolesOf(least), expected[least])
    for (const role of ROLES) assert.equal(allowsRole(least, role), expected[least].includes(role))
  }
  assert.deepEqual(allowedRolesOf(['developer', 'moderator']), ['owner', 'admin', 'developer', 'moderator'])
  assert.ok(!allowsRole(['developer', 'moderator'], 'viewer'))
})

test('[TEA-01] without an environment the role of production counts', () => {
  const role = { development: 'developer', production: 'admin' } as const
  assert.equal(leastRoleOf(role, 'development'), 'developer')
  assert.equal(leastRoleOf(role, 'production'), 'admin')
  assert.equal(leastRoleOf(role, undefined), 'admin')
  assert.equal(leastRoleOf('viewer', 'production'), 'viewer')
  assert.equal(leastRoleOf('account', undefined), undefined)
  assert.equal(roleText(role), 'developer; in production admin')
  assert.equal(roleText(['developer', 'moderator']), 'developer or moderator')
})

/** What each role may do, in words; a row that moves must be moved here, too. */
test('[TEA-03] [TEA-04] [TEA-05] which rows of production each role reaches', () => {
  const reachable = (role: Role) =>
    forDevelopers
      .filter((endpoint) => {
        const least = leastRoleOf(endpoint.role, 'production')
        return least !== undefined && allowsRole(least, role)
      })
      .map(({ name }) => name)
  const [developer, moderator, viewer] = [reachable('developer'), reachable('moderator'), reachable('viewer')]
  const only = (these: string[], without: string[]) => these.filter((name) => !without.includes(name)).sort()

  // Moderators: players, the live view and agents of their own, nothing of config, keys and code.
  assert.deepEqual(only(moderator, viewer), [
    'banPlayer',
    'banPlayerForTime',
    'correctAge',
    'createAgent',
    'exportPlayer',
    'exportPlayerByPost',
    'grantAuthorization',
    'hideLeaderboardEntry',
    'listAgents',
    'listAppeals',
    'listAudit',
    'listMails',
    'listSignals',
    'readAgent',
    'readLeaderboardAsAdmin',
    'readLiveView',
    'readPlayerDetail',
    'readPlayerSave',
    'readPlayerStats',
    'removeLeaderboardEntry',
    'resolveAppeal',
    'revokeAgent',
    'searchPlayers',
    'signOutPlayer',
    'unbanPlayer',
  ])
  // Developers: reading everything, deployments and config.
  assert.deepEqual(only(developer, [...viewer, ...moderator]), [
    'activateDeployment',
    'closeRoom',
    'createDeployment',
    'createPlaygroundPlayers',
    'createTrackedLink',
    'deployFunctions',
    'finalizeDeployment',
    'listRequests',
    'listWebhookDeliveries',
    'messageRoom',
    'migrateFunctionDatabase',
    'openRoom',
    'previewCard',
    'pushConfig',
    'readFunctionLogs',
    'readFunctionSourceMap',
    'readRequest',
    'readRoomState',
    'readRoomTurns',
    'replayWebhookDelivery',
    'restoreConfigVersion',
    'runFunctionCron',
    'simulateNetwork',
    'testProviderCredentials',
    'testWebhook',
    'uploadBlob',
  ])
  // What moderators may change, developers do not in production.
  assert.deepEqual(only(moderator, developer), [
    'banPlayer',
    'banPlayerForTime',
    'correctAge',
    'hideLeaderboardEntry',
    'removeLeaderboardEntry',
    'resolveAppeal',
    'signOutPlayer',
    'unbanPlayer',
  ])
  // Viewers change nothing but their own membership.
  assert.deepEqual(
    forDevelopers
      .filter(({ name, route }) => viewer.includes(name) && !route.startsWith('GET '))
      .map(({ name }) => name),
    ['leaveProject'],
  )
})
