import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { type TestSetup, startTestSetup } from './cli.ts'

let setup: TestSetup
let folder: string
let project: string
before(async () => {
  setup = await startTestSetup()
  await setup.json(['new', 'game', '--no-install'])
  folder = join(setup.root, 'game')
  project = (await setup.json(['projects'])).projects[0].id
})
after(() => setup.stop())

/** A developer with an account of their own; `as` makes a command theirs. */
async function newDeveloper(email: string) {
  const { body } = await setup.call('POST', '/v1/developers/signup', {
    body: { email, password: 'correct horse' },
  })
  return { variables: { SVC_TOKEN: body.token as string, SVC_PROJECT: project } }
}

test('[DSH-55] svc team invites, and the invited person accepts, reads the team and leaves', async () => {
  const ada = await newDeveloper('ada@example.com')
  const invited = await setup.svc(['team', 'invite', 'Ada@example.com', '--role', 'viewer'], { folder })
  assert.equal(invited.code, 0, invited.err)
  assert.match(invited.out, /ada@example\.com invited as viewer; no email was sent, so pass the link on/)
  const link = /http\S+/.exec(invited.out)?.[0] ?? ''
  assert.match((await setup.svc(['team'], { folder })).out, /ada@example\.com +viewer +invited, until 20/)

  assert.equal((await setup.svc(['team'], ada)).code, 4, 'a stranger sees nothing')
  const elsewhere = await setup.svc(['team', 'accept', link.replace('localhost', 'svc.example')], ada)
  assert.deepEqual([elsewhere.code, /--url/.test(elsewhere.err)], [2, true])
  const accepted = await setup.svc(['team', 'accept', link], ada)
  assert.match(accepted.out, /you are now viewer of Game/)
  assert.equal((await setup.svc(['team', 'accept', link], ada)).code, 4, 'it works once')

  const { members, invitations, transfer } = await setup.json(['team'], ada)
  assert.deepEqual(
    members.map(({ email, role }: { email: string; role: string }) => [email, role]),
    [
      ['developer@localhost', 'owner'],
      ['ada@example.com', 'viewer'],
    ],
  )
  assert.deepEqual([invitations, transfer], [[], null])
  assert.match((await setup.svc(['projects'], ada)).out, /Game +game\S* +viewer +prj_/)

  assert.equal((await setup.svc(['team', 'leave'], ada)).code, 2, 'it asks')
  assert.equal((await setup.json(['team', 'leave', '--yes'], ada)).left, true)
  assert.deepEqual((await setup.json(['projects'], ada)).projects, [])
})

test('[DSH-55] svc team changes roles and removes members and invitations; a role that is too low is told what it needs', async () => {
  const ben = await newDeveloper('ben@example.com')
  const { link } = await setup.json(['team', 'invite', 'ben@example.com', '--role', 'moderator'], { folder })
  await setup.json(['team', 'accept', link], ben)
  const refused = await setup.svc(['team', 'invite', 'eve@example.com', '--json'], ben)
  assert.deepEqual([refused.code, refused.json.error.code], [4, 'role_required'])
  assert.match(refused.json.error.message, /admin/)

  assert.equal((await setup.svc(['team', 'role', 'ben@example.com', 'boss'], { folder })).code, 2)
  assert.equal((await setup.svc(['team', 'role', 'nobody@example.com', 'admin'], { folder })).code, 2)
  const own = await setup.svc(['team', 'role', 'developer@localhost', 'admin'], { folder })
  assert.equal(own.code, 4, 'the owner stays')
  const changed = await setup.json(['team', 'role', 'BEN@example.com', 'admin'], { folder })
  assert.equal(changed.member.role, 'admin')
  assert.equal((await setup.svc(['team', 'invite', 'eve@example.com'], ben)).code, 0)
  assert.deepEqual(await setup.json(['team', 'remove', 'eve@example.com'], ben), {
    revoked: 'eve@example.com',
  })

  assert.equal((await setup.svc(['team', 'remove', 'ben@example.com'], { folder })).code, 2, 'it asks')
  const removed = await setup.svc(['team', 'remove', 'ben@example.com', '--yes'], { folder })
  assert.match(removed.out, /ben@example\.com removed[^]*keys that the member knows still work/)
  assert.equal((await setup.svc(['team'], ben)).code, 4)
})
