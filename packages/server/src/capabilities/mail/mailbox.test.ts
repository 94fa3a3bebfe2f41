import assert from 'node:assert/strict'
import { test } from 'node:test'

import { emailCalls, newEmailProject } from '../../testing/email-players.ts'
import { until } from '../../testing/rooms.ts'
import { suite } from '../../testing/suite.ts'

type Entry = { id: string; to: string; text: string | null; html: string | null; status: string }

suite('the mailbox of an environment', {}, ({ service }) => {
  const listIn =
    (project: Awaited<ReturnType<typeof newEmailProject>>) =>
    async (environment: 'development' | 'production', query = '') =>
      (await project.developer.call('GET', `${project[environment].path}/mails${query}`)).body
  const setStatus = (column: 'id' | 'recipient', value: string, status: string) =>
    service.db.transaction((transaction) =>
      transaction.search((q) => {
        const change = { status, nextAttemptAt: '9999-01-01T00:00:00.000Z' }
        return q.updateTable('mail_outbox').set(change).where(column, '=', value).returning('id')
      }),
    )
  const addresses = ({ mails }: { mails: Entry[] }) => mails.map(({ to }) => to)

  test('[DSH-10] development shows mails with their bodies, and those to the developer; production shows no bodies', async () => {
    const project = await newEmailProject(service)
    const list = listIn(project)
    await emailCalls(project.development).signUp('dev-player@example.com')
    await emailCalls(project.production).signUp('prod-player@example.com')
    await service.background.drained()

    const development = await list('development')
    assert.deepEqual(addresses(development), ['dev-player@example.com', project.developer.email])
    assert.match(development.mails[0].text, /http/)
    assert.match(development.mails[0].html, /<html/)

    const production = await list('production')
    assert.deepEqual(addresses(production), ['prod-player@example.com'])
    assert.deepEqual([production.mails[0].text, production.mails[0].html], [null, null])
  })

  test('[DSH-10] mails are listed by status, page by page', async () => {
    const project = await newEmailProject(service)
    const list = listIn(project)
    for (const name of ['a', 'b', 'c'])
      await emailCalls(project.production).signUp(`${name}-page@example.com`)
    const [first] = (await list('production')).mails
    await setStatus('id', first.id, 'failed')
    assert.deepEqual(addresses(await list('production', '?status=failed')), ['c-page@example.com'])
    const overview = await project.developer.call('GET', `${project.production.path}/overview`)
    assert.equal(overview.body.failedMails, 1)

    const page = await list('production', '?limit=2')
    assert.deepEqual(addresses(page), ['c-page@example.com', 'b-page@example.com'])
    const rest = await list('production', `?limit=2&cursor=${page.nextCursor}`)
    assert.deepEqual([addresses(rest), rest.nextCursor], [['a-page@example.com'], null])
    for (const query of ['?status=lost', '?limit=0', '?limit=201', '?cursor=x'])
      assert.equal((await list('production', query)).error.code, 'invalid_request', query)
  })

  test('[DSH-10] deleting removes mails of this environment that are not waiting, and is audited', async () => {
    const project = await newEmailProject(service)
    const list = listIn(project)
    const { call } = project.developer
    for (const side of [project.development, project.production])
      await emailCalls(side).signUp('delete@example.com')
    await emailCalls(project.production).signUp('waiting@example.com')
    await until(async () => (await list('production', '?status=captured')).mails.length === 2)
    await setStatus('recipient', 'waiting@example.com', 'pending')

    assert.deepEqual((await call('DELETE', `${project.production.path}/mails`)).body, { deleted: 1 })
    assert.deepEqual((await call('DELETE', `${project.production.path}/mails`)).body, { deleted: 0 })
    assert.deepEqual(addresses(await list('production')), ['waiting@example.com'])
    assert.deepEqual(addresses(await list('development')), ['delete@example.com', project.developer.email])
    const { entries } = (await call('GET', `/v1/projects/${project.id}/audit?action=mails`)).body
    assert.deepEqual(
      entries.map(({ action, env, details }: { action: string; env: string; details: object }) => [
        action,
        env,
        details,
      ]),
      [['mails.delete', 'production', { count: 1 }]],
    )
  })
})
