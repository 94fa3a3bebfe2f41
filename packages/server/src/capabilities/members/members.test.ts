import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { MemberRole } from '@svc/contract/developers/members'

import { follow } from '../../testing/event-streams.ts'
import { newGuest } from '../../testing/guests.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { invite, newMember } from '../../testing/members.ts'
import { suite } from '../../testing/suite.ts'

suite('members', {}, ({ service }) => {
  const membersOf = (project: { id: string }) => `/v1/x/projects/${project.id}/members`

  test('[TEA-08] [TEA-09] a member sees the project in the list with the own role, and who works on it', async () => {
    const project = await service.newProject()
    const { developer: owner } = project
    const moderator = await newMember(service, project, 'moderator')
    const own = await service.newProject(moderator)

    const { body: list } = await moderator.call('GET', '/v1/projects')
    assert.deepEqual(
      list.projects.map(({ id, role }: { id: string; role: string }) => [id, role]),
      [
        [own.id, 'owner'],
        [project.id, 'moderator'],
      ],
      'newest first',
    )
    assert.equal(list.projects[1].environments.length, 2)
    assert.equal((await owner.call('GET', '/v1/projects')).body.projects[0].role, 'owner')
    const { body: read } = await moderator.call('GET', `/v1/projects/${project.id}`)
    assert.deepEqual([read.role, read.project.name], ['moderator', project.name])

    const { body } = await moderator.call('GET', membersOf(project))
    const since = service.clock.now().toISOString()
    assert.deepEqual(body, {
      members: [
        { developerId: owner.id, email: owner.email, name: null, role: 'owner', since },
        { developerId: moderator.id, email: moderator.email, name: null, role: 'moderator', since },
      ],
      invitations: [],
      transfer: null,
    })
  })

  test('[TEA-03] [TEA-04] [TEA-05] members with the role do what it allows, with their own name in the audit log', async () => {
    const project = await service.newProject()
    const { development, production } = project
    const { id } = await newGuest(production)
    const [admin, developer, moderator] = [
      await newMember(service, project, 'admin'),
      await newMember(service, project, 'developer'),
      await newMember(service, project, 'moderator'),
    ]
    const config = { features: { saves: true } }
    assert.equal((await developer.call('PUT', `${production.path}/config`, config)).status, 200)
    assert.equal((await developer.call('GET', `${production.path}/players/${id}`)).status, 200)
    const key = { type: 'secret', label: 'ci' }
    assert.equal((await developer.call('POST', `${development.path}/keys`, key)).status, 200)
    const { body: refused } = await developer.call('POST', `${production.path}/keys`, key)
    assert.deepEqual(refused.error, {
      code: 'role_required',
      message:
        'This needs the role admin in this project; yours is developer. Ask an admin of this project for it.',
      details: { role: 'developer', requiredRole: 'admin', allowedRoles: ['owner', 'admin'] },
    })
    assert.equal((await admin.call('POST', `${production.path}/keys`, key)).status, 200)
    assert.equal((await moderator.call('POST', `${production.path}/players/${id}/ban`, {})).status, 200)

    const { body } = await project.developer.call('GET', `/v1/projects/${project.id}/audit`)
    const actorOf = (action: string) =>
      body.entries.filter((entry: { action: string }) => entry.action === action)[0].actor
    const named = ({ id: developerId, email }: { id: string; email: string }) => ({
      type: 'developer',
      id: developerId,
      label: email,
    })
    assert.deepEqual(actorOf('config.push'), named(developer))
    assert.deepEqual(actorOf('key.create'), named(admin))
    assert.deepEqual(actorOf('player.ban'), named(moderator))
  })

  test('[TEA-10] [TEA-23] another role counts from the next call on; owner and self are refused', async () => {
    const project = await service.newProject()
    const { developer: owner, production } = project
    const admin = await newMember(service, project, 'admin')
    const member = await newMember(service, project, 'viewer')
    const change = (role: MemberRole, who = member.id, as = admin) =>
      as.call('PATCH', `${membersOf(project)}/${who}`, { role })

    assert.equal((await member.call('GET', `${production.path}/players`)).status, 403)
    const { body } = await change('moderator')
    assert.deepEqual([body.member.role, body.member.email], ['moderator', member.email])
    assert.equal((await member.call('GET', `${production.path}/players`)).status, 200)
    assert.equal((await change('moderator')).status, 200, 'the same role is not a change')

    assert.equal((await change('viewer', owner.id)).body.error.code, 'owner_stays')
    assert.equal((await change('viewer', admin.id)).body.error.code, 'own_membership')
    assert.equal((await change('viewer', 'dev_unknown')).body.error.code, 'member_not_found')
    assert.equal((await change('viewer', admin.id, owner)).status, 200)
    assert.equal((await change('viewer')).body.error.code, 'role_required')
    assert.equal(
      (await owner.call('PATCH', `${membersOf(project)}/${member.id}`, { role: 'owner' })).status,
      400,
    )

    const audit = await owner.call('GET', `/v1/projects/${project.id}/audit?action=member.role`)
    assert.deepEqual(
      audit.body.entries.map(({ actor, target, details }: Entry) => [actor.id, target, details]),
      [
        [owner.id, admin.id, { email: admin.email, before: 'admin', after: 'viewer' }],
        [admin.id, member.id, { email: member.email, before: 'viewer', after: 'moderator' }],
      ],
    )
  })

  test('[TEA-11] [TEA-23] removing and leaving end the access with the next call; keys stay', async () => {
    const project = await service.newProject()
    const { developer: owner, development } = project
    const [admin, member, leaver] = [
      await newMember(service, project, 'admin'),
      await newMember(service, project, 'developer'),
      await newMember(service, project, 'viewer'),
    ]
    const { body: key } = await member.call('POST', `${development.path}/keys`, { type: 'secret' })

    const remove = (who: string, as = admin) => as.call('DELETE', `${membersOf(project)}/${who}`)
    assert.equal((await remove(owner.id)).body.error.code, 'owner_stays')
    assert.equal((await remove(admin.id)).body.error.code, 'own_membership')
    assert.deepEqual((await remove(member.id)).body, { deleted: true })
    assert.equal((await remove(member.id)).body.error.code, 'member_not_found')
    assert.equal((await member.call('GET', `/v1/projects/${project.id}`)).status, 404)
    assert.deepEqual((await member.call('GET', '/v1/projects')).body, { projects: [] })
    assert.equal((await service.withKey(key.plaintext)('GET', '/v1/config')).status, 200)

    const leave = `/v1/x/projects/${project.id}/leave`
    assert.equal((await owner.call('POST', leave)).body.error.code, 'owner_stays')
    assert.deepEqual((await leaver.call('POST', leave)).body, { left: true })
    assert.equal((await leaver.call('POST', leave)).body.error.code, 'project_not_found')

    const { body } = await owner.call('GET', `/v1/projects/${project.id}/audit?limit=3`)
    assert.deepEqual(
      body.entries.map(({ action, actor, target }: Entry) => [action, actor.label, target]),
      [
        ['member.leave', leaver.email, leaver.id],
        ['member.remove', admin.email, member.id],
        ['key.create', member.email, key.key.id],
      ],
    )
    const { token } = await invite(project, member.email, 'viewer')
    assert.equal((await member.call('POST', '/v1/x/invitations/accept', { token })).status, 200)
    assert.equal((await member.call('GET', `/v1/projects/${project.id}`)).body.role, 'viewer')
  })

  test('[TEA-12] admins who remove each other at the same time leave the owner with all rights', async () => {
    const project = await service.newProject()
    const [one, two] = [
      await newMember(service, project, 'admin'),
      await newMember(service, project, 'admin'),
    ]
    await Promise.all([
      one.call('DELETE', `${membersOf(project)}/${two.id}`),
      two.call('DELETE', `${membersOf(project)}/${one.id}`),
      one.call('PATCH', `${membersOf(project)}/${two.id}`, { role: 'viewer' }),
    ])
    const { body } = await project.developer.call('GET', membersOf(project))
    assert.equal(body.members[0].role, 'owner')
    const again = await newMember(service, project, 'admin')
    assert.equal((await again.call('GET', membersOf(project))).status, 200)
  })

  test('[TEA-06] [TEA-24] a removed or changed member loses the open stream; a viewer sees no ids', async () => {
    const project = await service.newProject()
    const { production } = project
    const { id } = await newGuest(production)
    const [viewer, moderator] = [
      await newMember(service, project, 'viewer'),
      await newMember(service, project, 'moderator'),
    ]
    const mine = await follow(service, production.path, viewer.token)
    const theirs = await follow(service, production.path, moderator.token)
    const owners = await follow(service, production.path, project.developer.token)
    const ban = await moderator.call('POST', `${production.path}/players/${id}/ban`, {})
    assert.equal(ban.status, 200)
    await comesTrue('the hint', async () => {
      await service.everySecond()
      return [mine, theirs].every((stream) => stream.hints().length > 0)
    })
    assert.deepEqual(theirs.hints(), [{ topic: 'player', id }])
    assert.deepEqual(mine.hints(), [{ topic: 'player' }])

    const { developer: owner } = project
    await owner.call('PATCH', `${membersOf(project)}/${moderator.id}`, { role: 'developer' })
    await theirs.ended
    await owner.call('DELETE', `${membersOf(project)}/${viewer.id}`)
    await mine.ended
    assert.equal(owners.hasEnded, false)
    owners.leave()
    await owners.ended
  })

  test('[TEA-20] an account with shared projects stays; the memberships of a deleted one end', async () => {
    const project = await service.newProject()
    const { developer: owner } = project
    const member = await newMember(service, project, 'admin')
    await service.newProject(owner)
    const deleteAs = (developer: typeof owner) =>
      developer.call('DELETE', '/v1/developers/me', { password: 'correct horse' })

    const { status, body } = await deleteAs(owner)
    assert.deepEqual([status, body.error.code], [409, 'account_has_projects'])
    assert.deepEqual(body.error.details, {
      projects: 2,
      shared: [{ id: project.id, name: project.name, members: 1 }],
    })

    assert.equal((await deleteAs(member)).status, 200)
    assert.equal((await owner.call('GET', membersOf(project))).body.members.length, 1)
    const audit = await owner.call('GET', `/v1/projects/${project.id}/audit?action=member.leave`)
    assert.deepEqual(audit.body.entries[0].actor, { type: 'developer', id: member.id, label: member.email })
    assert.deepEqual((await deleteAs(owner)).body.error.details, { projects: 2 })
  })

  test('[TEA-21] members are told by mail that the project was deleted, and lose it', async () => {
    const project = await service.newProject()
    const member = await newMember(service, project, 'viewer')
    const { token } = await invite(project, 'nobody-yet@example.com', 'viewer')
    assert.equal((await project.developer.call('DELETE', `/v1/projects/${project.id}`)).status, 200)

    assert.equal((await member.call('GET', `/v1/projects/${project.id}`)).status, 404)
    const [mail] = await service.mailsTo(member.email)
    assert.equal(mail?.subject, `The project ${project.name} was deleted`)
    assert.ok(mail?.text.includes(project.developer.email))
    const found = await member.call('POST', '/v1/x/invitations/look-up', { token })
    assert.equal(found.body.error.code, 'invalid_or_expired_token')
    assert.deepEqual((await member.call('GET', '/v1/projects')).body, { projects: [] })
  })

  test('[TEA-22] a member cannot read the mails of the owner, neither with a session nor with a key', async () => {
    const project = await service.newProject()
    const { development, developer: owner } = project
    const subjects = async (call: typeof owner.call, path: string) => {
      const { status, body } = await call('GET', path)
      assert.equal(status, 200)
      return body.mails.map(({ to }: { to: string }) => to)
    }
    const [mailbox, outbox] = [`${development.path}/mails`, '/v1/dev/outbox']
    assert.deepEqual(await subjects(development.server, outbox), [owner.email], 'not shared yet')

    const member = await newMember(service, project, 'developer')
    assert.deepEqual(new Set(await subjects(owner.call, mailbox)), new Set([owner.email]))
    assert.deepEqual(new Set(await subjects(member.call, mailbox)), new Set([member.email]))
    assert.deepEqual(await subjects(development.server, outbox), [])

    await owner.call('DELETE', `${membersOf(project)}/${member.id}`)
    assert.deepEqual(await subjects(development.server, outbox), [], 'the former member may know the key')
  })
})

type Entry = { action: string; actor: { id: string; label: string }; target: string; details: object }
