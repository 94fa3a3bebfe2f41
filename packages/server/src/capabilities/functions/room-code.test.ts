import assert from 'node:assert/strict'
import { test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import type { RoomProcessEnd } from '../../platform/ports/room-process.ts'
import { deployFunctions, deploymentOf, startFunctionsService } from '../../testing/deployed-functions.ts'
import { topUp } from '../../testing/money.ts'
import { modulesWithRooms, openTestRoom } from '../../testing/room-code.ts'
import { suite } from '../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const DEPLOYMENTS = `${FUNCTIONS}/deployments`
/** A room that says which version runs, and works for some 100 ms if it is asked to. */
const codeOf = (version: string, classes = 'export class Arena extends Probe { static tickRate = 20 }') => `
import { Room } from './room.js'
class Probe extends Room {
  onServerMessage(type) {
    if (type === 'work') for (let i = 0, sum = 0; i < 100_000_000; i++) sum = (sum * 31 + i) | 0
    return { version: '${version}', greeting: this.env.GREETING, secret: this.env.TOKEN }
  }
}
${classes}
export default { fetch: () => new Response('${version}') }`
const NO_ROOMS = `export default { fetch: () => new Response('none') }`
const ROOMS = [{ className: 'Arena', tickRate: 20 }]

suite(
  'the code of rooms',
  { start: (engine) => startFunctionsService(engine, { SVC_BILLING: 'on' }) },
  ({ service }) => {
    async function newApp() {
      const developer = await service.newDeveloper()
      await topUp(service, developer, 500)
      const project = await service.newProject(developer)
      const { development, environments } = project
      const environmentId = environments.find(({ name }) => name === 'development')?.id ?? ''
      const { roomCode } = service.functions
      const changes: unknown[] = []
      roomCode.onChange((id, change) => id === environmentId && changes.push(change))
      return {
        developer,
        project,
        development,
        environmentId,
        changes,
        live: async (className = 'Arena') => roomCode.live(environmentId, className),
        deploy: (version: string, rest: object = {}) =>
          deployFunctions(development, modulesWithRooms(codeOf(version)), rest),
        open: (versionId: string) =>
          openTestRoom('Arena', (events) => roomCode.start(environmentId, versionId, events)),
        start: (versionId: string) =>
          roomCode.start(environmentId, versionId, { onMessage() {}, onEnd() {} }),
        usageOf: async (component: string) =>
          (await developer.call('GET', '/v1/money/usage')).body.components.find(
            (each: { component: string }) => each.component === component,
          )?.quantity,
      }
    }
    const minute = async () => {
      await service.everyMinute()
      await service.background.drained()
    }

    test('[RWC-21] a version names the room classes that it exports; rooms run only in live functions that export theirs', async () => {
      const { project, development, environmentId, live, deploy } = await newApp()
      const { roomCode, suspendProject } = service.functions
      assert.equal(await live(), undefined)

      const { deploymentId } = await deploy('one')
      const found = await live()
      assert.deepEqual(
        [found?.versionId, found?.version, found?.tickRate],
        [deploymentId, 1, ROOMS[0]?.tickRate],
      )
      assert.ok(!(roomCode.live(environmentId, 'Arena') instanceof Promise))
      for (const className of ['Probe', 'arena', 'default', '__proto__', 'Nobody'])
        assert.equal(await live(className), undefined, className)
      assert.deepEqual((await development.server('GET', FUNCTIONS)).body.rooms, ROOMS)
      assert.deepEqual((await development.server('GET', DEPLOYMENTS)).body.deployments[0].rooms, ROOMS)

      await development.server('POST', `${FUNCTIONS}/disable`)
      assert.equal(await live(), undefined)
      await development.server('POST', `${FUNCTIONS}/enable`, {})
      assert.equal((await live())?.versionId, deploymentId)
      await suspendProject(project.slug, true)
      assert.equal(await live(), undefined)
      await suspendProject(project.slug, false)
      assert.equal((await live())?.versionId, deploymentId)

      await deployFunctions(development, NO_ROOMS)
      assert.equal(await live(), undefined)
      const again = await development.server('POST', DEPLOYMENTS, { fromVersion: 1 })
      assert.equal((await live())?.versionId, again.body.deploymentId)
      assert.deepEqual((await development.server('GET', FUNCTIONS)).body.rooms, ROOMS)
      await development.server('DELETE', FUNCTIONS)
      assert.equal(await live(), undefined)
      assert.deepEqual((await development.server('GET', FUNCTIONS)).body.rooms, [])
    })

    test('[RWC-21] a class with 61 ticks a second is refused', async () => {
      const { development } = await newApp()
      await development.server('POST', `${FUNCTIONS}/enable`, {})
      const code = codeOf('one', 'export class Arena extends Probe { static tickRate = 61 }')
      const { status, body } = await development.server(
        'POST',
        DEPLOYMENTS,
        deploymentOf(modulesWithRooms(code)),
      )
      assert.deepEqual([status, body.error.code], [400, 'invalid_deployment'])
    })

    test('[RWC-21] an older version starts after a deploy, with its own code and the secrets of now, as long as it is kept', async () => {
      const { development, deploy, open, start } = await newApp()
      const first = await deploy('one', { vars: { GREETING: 'hello' } })
      await deploy('two', { vars: { GREETING: 'good day' } })
      await development.server('PUT', `${FUNCTIONS}/secrets/TOKEN`, { value: 'secret' })
      const room = await open(first.deploymentId)
      assert.deepEqual(await room.ask('which'), { version: 'one', greeting: 'hello', secret: 'secret' })
      await room.process.stop()
      assert.equal(await room.ended, 'stopped')

      await deployFunctions(development, NO_ROOMS)
      // A secret of today may have the name of a variable of then.
      await development.server('PUT', `${FUNCTIONS}/secrets/GREETING`, { value: 'not this one' })
      const again = await open(first.deploymentId)
      assert.equal((await again.ask('which')).greeting, 'hello')
      await again.process.stop()

      await assert.rejects(start('dpl_unknown'), { code: 'deployment_not_found' })
      await development.server('POST', `${FUNCTIONS}/disable`)
      await assert.rejects(start(first.deploymentId), { code: 'functions_disabled' })
    })

    test('[RWC-22] rooms learn of every change; finishMinutes of a deployment is told, and is in the audit log', async () => {
      const { developer, project, development, environmentId, changes, deploy } = await newApp()
      const { roomCode, suspendProject } = service.functions
      const last = async () => {
        await service.background.drained()
        assert.deepEqual(await roomCode.current(environmentId), changes.at(-1))
        return changes.at(-1) as { runs: boolean; finishMinutes?: number; versionId?: string }
      }
      for (const finishMinutes of [-1, 241, 0.5, null])
        assert.equal(
          (await development.server('POST', DEPLOYMENTS, { fromVersion: 1, finishMinutes })).status,
          400,
        )
      const first = await deploy('one', { finishMinutes: LIMITS.roomFinishMinutesMax })
      assert.deepEqual(await last(), {
        runs: true,
        versionId: first.deploymentId,
        deployedAtMs: service.clock.now().getTime(),
        finishMinutes: LIMITS.roomFinishMinutesMax,
      })
      const again = await development.server('POST', DEPLOYMENTS, { fromVersion: 1 })
      assert.equal(again.status, 201)
      assert.equal((await last()).finishMinutes, null)
      await development.server('POST', DEPLOYMENTS, { fromVersion: 1, finishMinutes: 0 })
      assert.equal((await last()).finishMinutes, 0)
      const audit = await developer.call('GET', `/v1/projects/${project.id}/audit`)
      const told = audit.body.entries
        .filter(({ action }: { action: string }) => action === 'functions.deploy')
        .map(({ details }: { details: { finishMinutes?: number } }) => details.finishMinutes)
      assert.deepEqual(told, [0, undefined, LIMITS.roomFinishMinutesMax])

      await suspendProject(project.slug, true)
      assert.deepEqual(await last(), { runs: false, reason: 'suspended' })
      await suspendProject(project.slug, false)
      assert.equal((await last()).runs, true)
      await development.server('POST', `${FUNCTIONS}/disable`)
      assert.deepEqual(await last(), { runs: false, reason: 'closed' })
      await development.server('POST', `${FUNCTIONS}/enable`, {})
      assert.equal((await last()).runs, true)
      await development.server('DELETE', FUNCTIONS)
      assert.deepEqual(await last(), { runs: false, reason: 'closed' })
      await deploy('two')
      assert.equal((await last()).runs, true)
      const deleted = await developer.call('DELETE', `/v1/projects/${project.id}`)
      assert.ok(deleted.status < 300, JSON.stringify(deleted.body))
      assert.deepEqual(await last(), { runs: false, reason: 'closed' })
    })

    test('[RWC-22] suspended functions have no process of rooms, not even one that was starting', async () => {
      const { project, environmentId, changes, deploy, open } = await newApp()
      const { roomCode, suspendProject } = service.functions
      const { deploymentId } = await deploy('one')
      const room = await open(deploymentId)
      const ends: RoomProcessEnd[] = []
      const starting = roomCode.start(environmentId, deploymentId, {
        onMessage() {},
        onEnd: (end) => ends.push(end),
      })
      const refused = assert.rejects(starting, { code: 'functions_suspended' })
      await suspendProject(project.slug, true)
      assert.equal(await room.ended, 'stopped')
      await refused
      await service.background.drained()
      assert.deepEqual(changes.at(-1), { runs: false, reason: 'suspended' })
      await assert.rejects(open(deploymentId), { code: 'functions_suspended' })
      await suspendProject(project.slug, false)
      const resumed = await open(deploymentId)
      assert.equal((await resumed.ask('which')).version, 'one')
      await resumed.process.stop()
    })

    test('[RWC-23] the CPU time of rooms is charged as that of functions, each minute and at the end, and no request', async () => {
      const { deploy, open, usageOf } = await newApp()
      const { deploymentId } = await deploy('one')
      const room = await open(deploymentId)
      await room.ask('work')
      await minute()
      await minute()
      const first = await usageOf('functions.cpuMs')
      assert.ok(first >= 30, `${first} ms`)
      await room.ask('work')
      await room.process.stop()
      await room.ended
      await minute()
      await minute()
      const second = await usageOf('functions.cpuMs')
      assert.ok(second - first >= 30, `${second - first} ms`)
      assert.equal((await usageOf('functions.requests')) ?? 0, 0)
    })

    test('[RWC-23] who has no money left has no rooms', async () => {
      const { environmentId, deploy, open } = await newApp()
      const { deploymentId } = await deploy('one')
      const room = await open(deploymentId)
      service.money.noteUsage(environmentId, 'functions.requests', 100_000_000)
      await minute()
      assert.equal(await room.ended, 'stopped')
    })

    test('[RWC-21] a deploy that leaves a mode without its class warns; so do the features', async () => {
      const { development, deploy } = await newApp()
      const modes = [
        { key: 'arena', room: { class: 'Arena' } },
        { key: 'cards', room: { class: 'Cards' } },
        { key: 'plain' },
      ]
      const pushed = await development.server('PUT', '/v1/config', {
        features: { multiplayer: true },
        multiplayer: { modes },
      })
      assert.equal(pushed.status, 200)
      const problems = async () =>
        (await development.server('GET', '/v1/admin/features')).body.features.find(
          ({ key }: { key: string }) => key === 'multiplayer',
        ).problems
      assert.equal((await problems()).length, 2)

      const { warnings } = await deploy('one')
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', /mode cards .* class Cards/)
      assert.deepEqual(await problems(), warnings)
      const left = await deployFunctions(development, NO_ROOMS)
      assert.deepEqual(
        left.warnings.map((warning) => /class (\w+)/.exec(warning)?.[1]),
        ['Arena', 'Cards'],
      )
      const again = await development.server('POST', DEPLOYMENTS, { fromVersion: 1 })
      assert.deepEqual(again.body.warnings, warnings)
    })
  },
)
