import assert from 'node:assert/strict'
import { test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { DAY_MS } from '../../platform/clock.ts'
import { newMember } from '../../testing/members.ts'
import { type TestDeveloper, topUp } from '../../testing/money.ts'
import { startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const PASSWORD = 'correct horse'

suite('transfers of projects', {}, ({ service, engine }) => {
  async function newTeam() {
    const project = await service.newProject()
    const admin = await newMember(service, project, 'admin')
    return { project, owner: project.developer, admin, path: `/v1/x/projects/${project.id}` }
  }
  type Team = Awaited<ReturnType<typeof newTeam>>
  const offer = ({ owner, path }: Team, developerId: string, password = PASSWORD) =>
    owner.call('POST', `${path}/transfer`, { developerId, password })
  const accept = ({ path }: Team, developer: TestDeveloper) =>
    developer.call('POST', `${path}/transfer/accept`)
  const rolesOf = async ({ path, owner }: Team) =>
    (await owner.call('GET', `${path}/members`)).body.members.map(
      ({ developerId, role }: { developerId: string; role: string }) => [developerId, role],
    )
  const balanceOf = async (developer: TestDeveloper) =>
    (await developer.call('GET', '/v1/money/prepaid')).body.balance
  const usedBy = async (developer: TestDeveloper) => {
    const { body } = await developer.call('GET', '/v1/money/usage')
    return body.components.find(({ component }: { component: string }) => component === 'voice.relayMinutes')
      .quantity
  }

  test('[TEA-17] [TEA-18] [TEA-23] an accepted transfer changes owner and roles together, and is audited', async () => {
    const team = await newTeam()
    const { project, owner, admin } = team
    const { status, body } = await offer(team, admin.id)
    assert.equal(status, 201)
    assert.equal(Date.parse(body.transfer.expiresAt) - Date.parse(body.transfer.createdAt), 7 * DAY_MS)
    assert.deepEqual((await admin.call('GET', `${team.path}/members`)).body.transfer, body.transfer)
    const [offered] = await service.mailsTo(admin.email)
    assert.equal(offered?.subject, `${owner.email} offers you the project ${project.name}`)

    assert.deepEqual((await accept(team, admin)).body, {
      project: { id: project.id, name: project.name },
      role: 'owner',
    })
    assert.deepEqual(await rolesOf(team), [
      [admin.id, 'owner'],
      [owner.id, 'admin'],
    ])
    assert.equal((await owner.call('DELETE', `/v1/projects/${project.id}`)).status, 403)
    assert.equal((await accept(team, admin)).body.error.code, 'transfer_not_found')
    const [told] = await service.mailsTo(owner.email)
    assert.equal(told?.subject, `${admin.email} is now the owner of ${project.name}`)
    assert.equal((await project.development.server('GET', '/v1/config')).status, 200, 'keys stay')
    const { body: read } = await admin.call('GET', `/v1/projects/${project.id}`)
    assert.deepEqual([read.role, read.project.slug], ['owner', project.slug])

    const audit = await admin.call('GET', `/v1/projects/${project.id}/audit?action=transfer`)
    assert.deepEqual(
      audit.body.entries.map(({ action, actor, target }: Entry) => [action, actor.label, target]),
      [
        ['transfer.accept', admin.email, admin.id],
        ['transfer.offer', owner.email, admin.id],
      ],
    )
    const back = { owner: admin, path: team.path } as Team
    assert.equal((await offer(back, owner.id)).status, 201)
    assert.equal((await accept(team, owner)).status, 200)
    assert.deepEqual(await rolesOf(team), [
      [owner.id, 'owner'],
      [admin.id, 'admin'],
    ])
  })

  test('[TEA-17] the owner proves the identity, and only an admin is offered the project', async () => {
    const team = await newTeam()
    const { owner, admin, path } = team
    const viewer = await newMember(service, team.project, 'viewer')
    const stranger = await service.newDeveloper()
    const code = async (answer: ReturnType<typeof offer>) => (await answer).body.error.code
    assert.equal(await code(offer(team, admin.id, 'wrong')), 'invalid_credentials')
    assert.equal(
      await code(owner.call('POST', `${path}/transfer`, { developerId: admin.id })),
      'reauth_required',
    )
    assert.equal(await code(offer(team, viewer.id)), 'admin_required')
    for (const id of [stranger.id, owner.id, 'dev_unknown'])
      assert.equal(await code(offer(team, id)), 'member_not_found')
    assert.equal((await admin.call('POST', `${path}/transfer`, { developerId: admin.id })).status, 403)
    assert.equal(await code(accept(team, admin)), 'transfer_not_found')
  })

  test('[TEA-17] an offer ends by expiry, withdrawal, refusal, another offer, and with the role', async () => {
    const team = await newTeam()
    const { owner, admin, path } = team
    const second = await newMember(service, team.project, 'admin')
    const gone = async (developer = admin) =>
      assert.equal((await accept(team, developer)).body.error.code, 'transfer_not_found')
    const renew = async () => assert.equal((await offer(team, admin.id)).status, 201)

    await renew()
    service.clock.advance(LIMITS.transferTtlMs)
    await gone()
    assert.equal((await owner.call('GET', `${path}/members`)).body.transfer, null)
    assert.equal((await owner.call('DELETE', `${path}/transfer`)).body.error.code, 'transfer_not_found')

    await renew()
    assert.equal((await second.call('DELETE', `${path}/transfer`)).body.error.code, 'transfer_not_found')
    await gone(second)
    assert.equal((await owner.call('DELETE', `${path}/transfer`)).status, 200)
    await gone()

    await renew()
    assert.equal((await admin.call('DELETE', `${path}/transfer`)).status, 200)
    await gone()

    await renew()
    assert.equal((await offer(team, second.id)).status, 201)
    await gone()
    const change = (role: string) => owner.call('PATCH', `${path}/members/${second.id}`, { role })
    await change('viewer')
    await change('admin')
    await gone(second)

    assert.equal((await offer(team, second.id)).status, 201)
    await owner.call('DELETE', `${path}/members/${second.id}`)
    assert.equal((await owner.call('GET', `${path}/members`)).body.transfer, null)
    assert.deepEqual(await rolesOf(team), [
      [owner.id, 'owner'],
      [admin.id, 'admin'],
    ])
  })

  test('[TEA-17] an acceptance and a withdrawal at the same time: one of them counts', async () => {
    const team = await newTeam()
    await offer(team, team.admin.id)
    const [accepted, withdrawn] = await Promise.all([
      accept(team, team.admin),
      team.owner.call('DELETE', `${team.path}/transfer`),
    ])
    const roles = await rolesOf(team)
    if (accepted.status === 200) assert.deepEqual(roles[0], [team.admin.id, 'owner'])
    else assert.deepEqual([withdrawn.status, roles[0]], [200, [team.owner.id, 'owner']])
    assert.equal(roles.length, 2)
  })

  test('[TEA-18] [TEA-25] money stays with the accounts; usage from then on is the new owner’s, on every node', async (t) => {
    const team = await newTeam()
    const { project, owner, admin } = team
    const other = engine === 'postgres' ? await startService(engine, { clusterOf: service }) : undefined
    if (other) t.after(() => other.stop())
    const nodes = [service, ...(other ? [other] : [])]
    const [environmentId = ''] = project.environments.map(({ id }) => id)
    await topUp(service, owner, 1_000)
    await topUp(service, admin, 2_000)
    assert.deepEqual([await balanceOf(owner), await balanceOf(admin)], [1_000, 2_000])
    const use = (minutes: number) => {
      for (const node of nodes) node.money.noteUsage(environmentId, 'voice.relayMinutes', minutes)
    }
    // Every node knows the owner from here on.
    use(100)
    for (const node of nodes) await node.everyMinute()
    use(100)
    await offer(team, admin.id)
    assert.equal((await accept(team, admin)).status, 200)
    for (const node of nodes) await node.everySecond()
    use(1_000)
    for (const node of nodes) await node.everyMinute()
    await service.everyHour()

    assert.equal(await usedBy(owner), 200 * nodes.length)
    assert.equal(await usedBy(admin), 1_000 * nodes.length)
    // 20 minutes cost a cent.
    assert.equal(await balanceOf(owner), 1_000 - 10 * nodes.length)
    assert.equal(await balanceOf(admin), 2_000 - 50 * nodes.length)
    assert.deepEqual((await service.money.verify()).mismatches, [])
    const ledger = (await owner.call('GET', '/v1/money/prepaid/ledger')).body.entries
    assert.ok(ledger.some(({ type }: { type: string }) => type === 'topup'))
  })

  test('[TEA-19] a transfer is refused while one of both owes money', async () => {
    const team = await newTeam()
    const { project, owner, admin } = team
    const own = await service.newProject(admin)
    const owe = async ({ environments }: { environments: { id: string }[] }) => {
      service.money.noteUsage(environments[0]?.id ?? '', 'voice.relayMinutes', 2_000)
      await service.everyMinute()
    }
    await offer(team, admin.id)
    await owe(own)
    const mine = await accept(team, admin)
    assert.deepEqual([mine.status, mine.body.error.code], [409, 'transfer_blocked'])
    assert.deepEqual(mine.body.error.details, { account: 'yours' })
    await topUp(service, admin, 500)

    // Also what was used in this minute, and is not charged yet.
    service.money.noteUsage(project.environments[0]?.id ?? '', 'voice.relayMinutes', 2_000)
    assert.deepEqual((await accept(team, admin)).body.error.details, { account: 'the owner' })
    const again = await offer(team, admin.id)
    assert.deepEqual([again.status, again.body.error.code], [409, 'transfer_blocked'])
    await topUp(service, owner, 500)
    assert.equal((await accept(team, admin)).status, 200)
  })

  test('[TEA-19] the new owner may own another project', async () => {
    const team = await newTeam()
    const { admin } = team
    const createdAt = service.clock.now().toISOString()
    await service.db.transaction(async (transaction) => {
      for (let number = 0; number < LIMITS.projectsMax; number++)
        await transaction.search((q) =>
          q
            .insertInto('projects')
            .values({
              id: `prj_${admin.id.slice(4)}${number}`,
              developerId: admin.id,
              name: 'x',
              slug: `${admin.id}-${number}`,
              createdAt,
              deletedAt: null,
            })
            .returning('id'),
        )
    })
    await offer(team, admin.id)
    const { body } = await accept(team, admin)
    assert.deepEqual([body.error.code, body.error.details], ['too_many_projects', { limit: 100 }])
  })

  test('[TEA-20] an account that is deleted while it accepts becomes no owner', async () => {
    const team = await newTeam()
    const { owner, admin, path } = team
    await offer(team, admin.id)
    const [accepted, deleted] = await Promise.all([
      accept(team, admin),
      admin.call('DELETE', '/v1/developers/me', { password: PASSWORD }),
    ])
    if (deleted.status !== 200) {
      assert.deepEqual([accepted.status, deleted.body.error.code], [200, 'account_has_projects'])
      return
    }
    assert.notEqual(accepted.status, 200)
    assert.equal((await owner.call('GET', `/v1/projects/${team.project.id}`)).body.role, 'owner')
    assert.equal((await owner.call('GET', `${path}/members`)).body.members.length, 1)
  })
})

type Entry = { action: string; actor: { label: string }; target: string }
