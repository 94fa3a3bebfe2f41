import assert from 'node:assert/strict'
import { test } from 'node:test'

import { deploy, newApp } from '../../testing/hosted-apps.ts'
import { engines, type Service, startService, type TestEnvironment } from '../../testing/service.ts'
import { startSmtpServer } from '../../testing/smtp-server.ts'

const FILES = { 'index.html': 'home' }

async function finalize(service: Service, side: TestEnvironment, activate: boolean) {
  const draft = await deploy(service, side, FILES, { activate: false })
  const path = `/v1/deployments/${draft.deploymentId}`
  return activate ? side.server('POST', `${path}/activate`) : side.server('GET', path)
}

for (const engine of engines) {
  test(`if mail is sent, activation in production requires a confirmed address, on ${engine}`, async (t) => {
    const smtp = await startSmtpServer()
    const service = await startService(engine, {
      settings: { SMTP_URL: smtp.url, SVC_MAIL_FROM: 'svc@example.com' },
    })
    t.after(async () => {
      await service.stop()
      await smtp.stop()
    })
    const { developer, development, production } = await newApp(service)

    assert.equal((await finalize(service, development, true)).status, 200, 'development goes live')
    assert.equal((await finalize(service, production, false)).status, 200, 'production is uploaded')
    const refused = await finalize(service, production, true)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'email_not_confirmed'])
    const together = await deploy(service, production, FILES, { activate: true })
    assert.equal((together as { error?: { code: string } }).error?.code, 'email_not_confirmed')
    assert.equal((await production.server('GET', '/v1/hosting')).body.live, null)

    const [mail] = await service.mailsTo(developer.email)
    const token = /#token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
    assert.equal((await service.call('POST', '/v1/developers/email/verify', { token })).status, 200)
    assert.equal((await finalize(service, production, true)).status, 200)
  })

  test(`if mail is captured, activation in production requires no confirmed address, on ${engine}`, async (t) => {
    const service = await startService(engine)
    t.after(() => service.stop())
    const { production } = await newApp(service)
    assert.equal((await finalize(service, production, true)).status, 200)
  })
}
