import assert from 'node:assert/strict'
import { test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { HOUR_MS } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import { invite, newMember, tokenOf } from '../../testing/members.ts'
import { confirmEmail } from '../../testing/money.ts'
import { type Service, startService } from '../../testing/service.ts'
import { startSmtpServer } from '../../testing/smtp-server.ts'
import { suite } from '../../testing/suite.ts'

const ascending = (a: number, b: number) => a - b
const DAYS_MS = LIMITS.memberInvitationTtlMs
const membersOf = (project: { id: string }) => `/v1/x/projects/${project.id}/members`
const accept = (developer: { call: Service['call'] }, token: string) =>
  developer.call('POST', '/v1/x/invitations/accept', { token })
const lookUp = (developer: { call: Service['call'] }, token: string) =>
  developer.call('POST', '/v1/x/invitations/look-up', { token })

suite('invitations to projects', {}, ({ service }) => {
  test('[TEA-13] [TEA-14] [TEA-23] an invitation is mailed, looked up, accepted once, and audited', async () => {
    const project = await service.newProject()
    const { developer: owner } = project
    const invited = await service.newDeveloper()
    const { status, body } = await owner.call('POST', membersOf(project), {
      email: ` ${invited.email.toUpperCase()} `,
      role: 'developer',
    })
    assert.equal(status, 201)
    const { id, createdAt, expiresAt } = body.invitation
    assert.deepEqual(body.invitation, {
      id,
      email: invited.email,
      role: 'developer',
      invitedBy: owner.email,
      createdAt,
      expiresAt,
    })
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), DAYS_MS)
    assert.match(body.link, /\/dashboard\/invitations\/[\w-]{43}$/)
    assert.equal(body.mailed, false, 'this service has no mail server')
    const [mail] = await service.mailsTo(invited.email)
    assert.ok(mail?.text.includes(body.link) && mail.text.includes(owner.email))

    const token = tokenOf(body.link)
    assert.deepEqual((await owner.call('GET', membersOf(project))).body.invitations, [body.invitation])
    assert.deepEqual((await lookUp(invited, token)).body, {
      project: { name: project.name },
      role: 'developer',
      email: invited.email,
      invitedBy: owner.email,
      expiresAt,
      isYours: true,
    })
    const answers = await Promise.all([accept(invited, token), accept(invited, token)])
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(ascending), [200, 400])
    assert.deepEqual(answers.find((answer) => answer.status === 200)?.body, {
      project: { id: project.id, name: project.name },
      role: 'developer',
    })
    assert.equal((await lookUp(invited, token)).body.error.code, 'invalid_or_expired_token')

    const audit = await owner.call('GET', `/v1/projects/${project.id}/audit?action=member`)
    assert.deepEqual(
      audit.body.entries.map(({ action, actor, target, details }: Entry) => [
        action,
        actor.label,
        target,
        details,
      ]),
      [
        [
          'member.join',
          invited.email,
          invited.id,
          { email: invited.email, role: 'developer', invitedBy: owner.email },
        ],
        ['member.invite', owner.email, id, { email: invited.email, role: 'developer' }],
      ],
    )
  })

  test('[TEA-14] another account cannot use the link, and it stays valid', async () => {
    const project = await service.newProject()
    const [invited, other] = [await service.newDeveloper(), await service.newDeveloper()]
    const { token } = await invite(project, invited.email, 'admin')
    const { body: found } = await lookUp(other, token)
    assert.deepEqual([found.isYours, found.email], [false, invited.email])
    const refused = await accept(other, token)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'invitation_for_other_address'])
    assert.deepEqual(refused.body.error.details, { email: invited.email })
    assert.equal((await accept(project.developer, token)).status, 403)
    assert.equal((await accept(invited, token)).status, 200)
  })

  test('[DSH-82] who has the link can read it without an account', async () => {
    const project = await service.newProject()
    const { token } = await invite(project, 'new@example.com', 'moderator')
    const { status, body } = await service.call('POST', '/v1/x/invitations/preview', { token })
    assert.equal(status, 200)
    const { expiresAt, ...shown } = body
    assert.deepEqual(shown, {
      project: { name: project.name },
      role: 'moderator',
      email: 'new@example.com',
      invitedBy: project.developer.email,
    })
    assert.ok(expiresAt > service.clock.now().toISOString())
  })

  test('[TEA-14] [DSH-82] a link that was revoked, replaced or has expired is refused', async () => {
    const project = await service.newProject()
    const invited = await service.newDeveloper()
    const refused = async (token: string) => {
      const preview = await service.call('POST', '/v1/x/invitations/preview', { token })
      for (const answer of [await accept(invited, token), await lookUp(invited, token), preview])
        assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_or_expired_token'])
    }
    await refused('nothing')

    const first = await invite(project, invited.email, 'viewer')
    const second = await invite(project, invited.email, 'viewer')
    await refused(first.token)
    const path = `/v1/x/projects/${project.id}/invitations`
    const revoke = (id: string) => project.developer.call('DELETE', `${path}/${id}`)
    assert.deepEqual((await revoke(second.id)).body, { deleted: true })
    assert.equal((await revoke(second.id)).body.error.code, 'invitation_not_found')
    await refused(second.token)

    const last = await invite(project, invited.email, 'viewer')
    service.clock.advance(DAYS_MS - 1)
    assert.equal((await lookUp(invited, last.token)).status, 200)
    service.clock.advance(1)
    await refused(last.token)
    assert.deepEqual((await project.developer.call('GET', membersOf(project))).body.invitations, [])
    await service.everyHour()
    const rows = await service.db.search((q) => q.selectFrom('members_invitations').selectAll())
    assert.deepEqual(
      rows.filter(({ projectId }) => projectId === project.id),
      [],
    )
  })

  test('[TEA-26] invitations of an admin end with the role of the admin', async () => {
    const project = await service.newProject()
    const [removed, lowered, stays] = [
      await newMember(service, project, 'admin'),
      await newMember(service, project, 'admin'),
      await newMember(service, project, 'admin'),
    ]
    const invited = await service.newDeveloper()
    const tokens = await Promise.all(
      [removed, lowered, stays].map(async (admin, number) => {
        const email = admin === stays ? invited.email : `${number}-${invited.email}`
        return (await invite({ ...project, developer: admin }, email, 'admin')).token
      }),
    )
    const { call } = project.developer
    assert.equal((await call('DELETE', `${membersOf(project)}/${removed.id}`)).status, 200)
    const lower = await call('PATCH', `${membersOf(project)}/${lowered.id}`, { role: 'moderator' })
    assert.equal(lower.status, 200)
    const found = await Promise.all(tokens.map(async (token) => (await lookUp(invited, token)).status))
    assert.deepEqual(found, [400, 400, 200])
  })

  test('[TEA-26] an admin who is removed while inviting leaves no invitation', async () => {
    const project = await service.newProject()
    const admin = await newMember(service, project, 'admin')
    await Promise.all([
      admin.call('POST', membersOf(project), { email: 'late@example.com', role: 'admin' }),
      project.developer.call('DELETE', `${membersOf(project)}/${admin.id}`),
      admin.call('POST', membersOf(project), { email: 'later@example.com', role: 'admin' }),
    ])
    const { body } = await project.developer.call('GET', membersOf(project))
    assert.deepEqual([body.members.length, body.invitations], [1, []])
  })

  test('[TEA-15] who is in the project is not invited', async () => {
    const project = await service.newProject()
    const member = await newMember(service, project, 'viewer')
    for (const email of [member.email, project.developer.email]) {
      const { body } = await project.developer.call('POST', membersOf(project), { email, role: 'admin' })
      assert.equal(body.error.code, 'member_exists')
    }
  })

  test('[TEA-15] a project has at most 20 open invitations and 50 members, also with concurrent calls', async () => {
    const project = await service.newProject()
    const { developer: owner } = project
    const send = (number: number) =>
      owner.call('POST', membersOf(project), { email: `i${number}@example.com`, role: 'viewer' })
    const codes = (await Promise.all(Array.from({ length: 22 }, (_, number) => send(number)))).map(
      ({ status, body }) => (status === 201 ? 'sent' : `${body.error.code} ${body.error.details.limit}`),
    )
    const count = (code: string) => codes.filter((one) => one === code).length
    assert.deepEqual([count('sent'), count('too_many_invitations 20')], [20, 2])
    assert.equal((await send(0)).status, codes[0] === 'sent' ? 201 : 409, 'a new link for the same address')

    // The rows of 49 members; joining is tested above.
    const since = service.clock.now().toISOString()
    const joined = await service.newDeveloper()
    const late = await service.newDeveloper()
    const { body } = await owner.call('GET', membersOf(project))
    for (const { id } of body.invitations.slice(0, 2))
      await owner.call('DELETE', `/v1/x/projects/${project.id}/invitations/${id}`)
    const tokens = [
      (await invite(project, joined.email, 'viewer')).token,
      (await invite(project, late.email, 'viewer')).token,
    ]
    await service.db.transaction(async (transaction) => {
      for (let number = 0; number < LIMITS.membersMax - 1; number++)
        await transaction.search((q) =>
          q
            .insertInto('members')
            .values({
              projectId: project.id,
              developerId: `dev_${number}`,
              role: 'viewer',
              since,
              removedAt: null,
            })
            .returning('role'),
        )
    })
    const answers = await Promise.all([accept(joined, tokens[0] ?? ''), accept(late, tokens[1] ?? '')])
    assert.deepEqual(answers.map(({ status }) => status).toSorted(ascending), [200, 409])
    const refused = answers.find(({ status }) => status === 409)?.body.error
    assert.deepEqual([refused.code, refused.details], ['too_many_members', { limit: 50 }])
    const full = await owner.call('POST', membersOf(project), { email: 'x@example.com', role: 'viewer' })
    assert.equal(full.body.error.code, 'too_many_members')
  })

  test('[TEA-15] at most 60 invitations an hour per project and per developer', async () => {
    const project = await service.newProject()
    const admin = await newMember(service, project, 'admin')
    const other = await service.newProject(project.developer)
    const send = ({ id }: { id: string }, { call } = project.developer) =>
      call('POST', membersOf({ id }), { email: 'again@example.com', role: 'viewer' })
    // One was for the admin.
    for (let sent = 1; sent < LIMITS.memberInvitationsPerHourMax; sent++)
      assert.equal((await send(project)).status, 201)
    for (const answer of [await send(project), await send(other), await send(project, admin)]) {
      assert.equal(answer.body.error.code, 'rate_limited')
      assert.ok(answer.body.error.details.retryAfterSeconds > 0)
    }
    assert.equal((await send(await service.newProject(admin), admin)).status, 201)
    service.clock.advance(HOUR_MS)
    assert.equal((await send(project)).status, 201)
  })

  test('[TEA-16] only the hash of the token is stored', async () => {
    const project = await service.newProject()
    const { token, id } = await invite(project, 'hash@example.com', 'viewer')
    const rows = await service.db.search((q) => q.selectFrom('members_invitations').selectAll())
    const row = rows.find((one) => one.id === id)
    assert.equal(row?.tokenHash, sha256(token))
    assert.ok(!JSON.stringify(rows).includes(token))
  })
})

suite(
  'invitations with a mail server',
  {
    async start(engine) {
      const smtp = await startSmtpServer()
      const service = await startService(engine, {
        settings: { SMTP_URL: smtp.url, SVC_MAIL_FROM: 'svc@example.com' },
      })
      return {
        ...service,
        smtp,
        async stop() {
          await service.stop()
          await smtp.stop()
        },
      }
    },
  },
  ({ service }) => {
    test('[TEA-13] [TEA-14] with a mail server the link is mailed, and the address must be confirmed', async () => {
      const project = await service.newProject()
      const invited = await service.newDeveloper()
      const send = () =>
        project.developer.call('POST', membersOf(project), { email: invited.email, role: 'viewer' })
      assert.equal((await send()).body.error.code, 'confirmed_email_required')
      await confirmEmail(service, project.developer)
      const { body } = await send()
      assert.equal(body.mailed, true)
      const token = tokenOf(body.link)
      const refused = await accept(invited, token)
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'confirmed_email_required'])

      assert.equal((await invited.call('POST', '/v1/developers/email/resend')).status, 200)
      await confirmEmail(service, invited)
      assert.equal((await accept(invited, token)).status, 200)
    })
  },
)

type Entry = { action: string; actor: { label: string }; target: string; details: object }
