import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { inspect } from 'node:util'

import { openDatabase } from '../../engines/database/open.ts'
import type { Transport } from '../../engines/mail/mail.ts'
import { openMail } from '../../engines/mail/open.ts'
import {
  createStoppedClock,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type MovableClock,
  SECOND_MS,
} from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { createIds, systemRandom } from '../../platform/random.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { startSmtpServer } from '../../testing/smtp-server.ts'
import { createAudit, createAuditStore } from '../audit/index.ts'
import {
  createMailLimits,
  createOutbox,
  createOutboxStore,
  createSendStore,
  type NewMail,
  type Outbox,
} from './index.ts'

const FROM = 'svc <no-reply@example.com>'
const LINK = 'https://example.com/#svc_token=canary'
const OWNER = 'owner@example.com'

const development: Environment = { id: 'env_dev', projectId: 'prj_1', name: 'development', slug: 'duel' }
const production: Environment = { ...development, id: 'env_prod', name: 'production' }

/** News, because the mail limits do not count them: these tests are only about sending. */
const mailTo = (to: string, environmentId: string | null = development.id): NewMail => ({
  kind: 'news',
  environment: environmentId === null ? null : { id: environmentId },
  to,
  subject: `Hello ${to}`,
  text: `Text ${LINK}`,
  html: `<p>${LINK}</p>`,
})

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`outbox on ${engine}`, () => {
    let database: Awaited<ReturnType<typeof openTestDatabase>>
    let server: Awaited<ReturnType<typeof startSmtpServer>>
    let clock: MovableClock
    let transports: Transport[]
    let reports: unknown[]

    beforeEach(async () => {
      database = await openTestDatabase(engine)
      server = await startSmtpServer()
      clock = createStoppedClock()
      transports = []
      reports = []
    })
    afterEach(async () => {
      for (const transport of transports) await transport.close()
      await server.stop()
      await database.close()
    })

    async function openOutbox(way: 'smtp' | 'captured' = 'smtp', db = database.db): Promise<Outbox> {
      const transport = await openMail({ from: FROM, ...(way === 'smtp' && { smtpUrl: server.url }) })
      transports.push(transport)
      return createOutbox({
        store: createOutboxStore(db),
        transport,
        clock,
        ids: createIds(clock, systemRandom),
        audit: createAudit(createAuditStore(db), clock, createIds(clock, systemRandom)),
        random: systemRandom,
        limits: createMailLimits(createSendStore(db), {
          clock,
          key: Buffer.alloc(32),
          ownerEmail: async () => undefined,
        }),
        ownerEmail: async (projectId) => (projectId === development.projectId ? OWNER : undefined),
        wasShared: async () => false,
        report: (problem) => void reports.push(problem),
        reportLimit: (mail) => void reports.push(mail),
      })
    }

    const send = (outbox: Outbox, ...mails: NewMail[]) =>
      database.db.transaction(async (transaction) => {
        for (const mail of mails) await outbox.send(transaction, mail)
      })
    const only = async (outbox: Outbox) => {
      const { mails } = await outbox.read(development)
      assert.equal(mails.length, 1)
      return mails[0]
    }

    test('a mail is sent once, after its transaction', async () => {
      const outbox = await openOutbox()
      await database.db.transaction(async (transaction) => {
        await outbox.send(transaction, mailTo('ada@example.com'))
        assert.equal(server.received.length, 0)
      })
      await outbox.deliverDue()
      await outbox.deliverDue()

      assert.equal(server.received.length, 1)
      const mail = await only(outbox)
      assert.deepEqual(mail, {
        id: mail?.id,
        to: 'ada@example.com',
        subject: 'Hello ada@example.com',
        text: `Text ${LINK}`,
        html: `<p>${LINK}</p>`,
        status: 'sent',
        attempts: 1,
        lastError: null,
        createdAt: '2026-01-01T00:00:00.000Z',
        sentAt: '2026-01-01T00:00:00.000Z',
      })
      assert.equal(server.received[0]?.mail.messageId, `<${mail?.id}@example.com>`)
    })

    test('a transaction that is rolled back sends nothing', async () => {
      const outbox = await openOutbox()
      const rolledBack = database.db.transaction(async (transaction) => {
        await outbox.send(transaction, mailTo('ada@example.com'))
        throw new Error('rolled back')
      })
      await assert.rejects(rolledBack, /rolled back/)
      await outbox.deliverDue()

      assert.equal(server.received.length, 0)
      assert.deepEqual(await outbox.read(development), { mails: [] })
    })

    test('a started outbox sends automatically, also mails of an earlier run', async () => {
      const outbox = await openOutbox()
      await send(outbox, mailTo('before@example.com'))
      outbox.start()
      await server.arrived(1)
      await send(outbox, mailTo('ada@example.com'))
      await server.arrived(2)
      await outbox.stop()
      await send(outbox, mailTo('after@example.com'))

      const { mails } = await outbox.read(development)
      assert.deepEqual(mails.map(({ status }) => status).sort(), ['pending', 'sent', 'sent'])
    })

    test('a mail server that was down gets the mail once, when it works again', async () => {
      const outbox = await openOutbox()
      await server.stop()
      await send(outbox, mailTo('ada@example.com'))
      await outbox.deliverDue()
      const waiting = await only(outbox)
      assert.deepEqual([waiting?.status, waiting?.attempts], ['pending', 1])
      assert.match(waiting?.lastError ?? '', /ECONNREFUSED/)

      await server.start()
      await outbox.deliverDue()
      assert.equal(server.received.length, 0)
      clock.advance(5 * SECOND_MS)
      await outbox.deliverDue()
      await outbox.deliverDue()

      assert.equal(server.received.length, 1)
      const sent = await only(outbox)
      assert.deepEqual([sent?.status, sent?.attempts, sent?.lastError], ['sent', 2, null])
      assert.equal(sent?.sentAt, '2026-01-01T00:00:05.000Z')
    })

    test('a temporary failure is retried after 5 s, 30 s, 2 min, 10 min, 1 h, then every 6 h, for about a day', async () => {
      const outbox = await openOutbox()
      server.decide.onRecipient = () => ({ responseCode: 451, message: 'Come back later' })
      await send(outbox, mailTo('ada@example.com'))
      await outbox.deliverDue()

      const early = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS]
      const pauses = [...early, ...Array.from({ length: 4 }, () => 6 * HOUR_MS)]
      for (const [index, pauseMs] of pauses.entries()) {
        clock.advance(pauseMs - 1)
        await outbox.deliverDue()
        const waiting = await only(outbox)
        assert.deepEqual([waiting?.status, waiting?.attempts], ['pending', index + 1])
        clock.advance(1)
        await outbox.deliverDue()
      }

      const input = await only(outbox)
      assert.deepEqual([input?.status, input?.attempts], ['failed', 10])
      assert.match(input?.lastError ?? '', /451 Come back later/)
      clock.advance(DAY_MS)
      await outbox.deliverDue()
      assert.equal((await only(outbox))?.attempts, 10)
    })

    test('a permanently rejected recipient fails immediately, with the reason', async () => {
      const outbox = await openOutbox()
      server.decide.onRecipient = () => ({ responseCode: 550, message: 'No such user here' })
      await send(outbox, mailTo('nobody@example.com'))
      await outbox.deliverDue()

      const mail = await only(outbox)
      assert.deepEqual([mail?.status, mail?.attempts, mail?.sentAt], ['failed', 1, null])
      assert.match(mail?.lastError ?? '', /550 No such user here/)
    })

    test('reports to the operator contain neither recipient nor body', async () => {
      const outbox = await openOutbox()
      server.decide.onRecipient = (address) => ({ responseCode: 550, message: `<${address}> is unknown` })
      await send(outbox, mailTo('nobody@example.com'))
      await outbox.deliverDue()

      assert.equal(reports.length, 1)
      const [report] = reports as { mailId: string; givenUp: boolean; err: Error }[]
      assert.equal(report?.givenUp, true)
      assert.doesNotMatch(inspect(report, { depth: null }), /canary|nobody@/)
    })

    test('slow deliveries block neither other mails nor the caller, and stop waits for them', async () => {
      const outbox = await openOutbox()
      const slow = Promise.withResolvers<undefined>()
      const reached = Promise.withResolvers<void>()
      let waiting = 0
      server.decide.onRecipient = (address) => {
        if (!address.startsWith('slow')) return undefined
        if (++waiting === 3) reached.resolve()
        return slow.promise
      }
      outbox.start()
      await send(outbox, ...['slow1@x.com', 'slow2@x.com', 'slow3@x.com'].map((to) => mailTo(to)))
      await reached.promise
      await send(outbox, ...['a@x.com', 'b@x.com', 'c@x.com'].map((to) => mailTo(to)))
      await server.arrived(3)
      const quick = server.received.map(({ recipients }) => String(recipients[0]))
      assert.deepEqual(quick.sort(), ['a@x.com', 'b@x.com', 'c@x.com'])

      const stopped = outbox.stop()
      slow.resolve(undefined)
      await stopped
      assert.equal(server.received.length, 6)
      const { mails } = await outbox.read(development)
      assert.ok(mails.every(({ status }) => status === 'sent'))
    })

    test('at most four mails are being sent at a time', async () => {
      const outbox = await openOutbox()
      const full = Promise.withResolvers<void>()
      let now = 0
      let most = 0
      server.decide.onRecipient = async () => {
        most = Math.max(most, ++now)
        if (now === 4) full.resolve()
        await full.promise
        // Enough time for a fifth mail to be sent, if there were no limit.
        await outbox.read(development)
        now--
        return undefined
      }
      await send(outbox, ...Array.from({ length: 20 }, (_, number) => mailTo(`p${number}@example.com`)))
      await outbox.deliverDue()
      assert.equal(server.received.length, 20)
      assert.equal(most, 4)
    })

    test('two outboxes on one database send every mail exactly once', async () => {
      const { url, dataDir, db } = database
      const clusterOf =
        engine === 'postgres' ? await openDatabase({ url, dataDir, clock, log: () => {} }) : undefined
      const nodes = [await openOutbox(), await openOutbox('smtp', clusterOf ?? db)] as const
      await send(nodes[0], ...Array.from({ length: 40 }, (_, number) => mailTo(`p${number}@example.com`)))
      await Promise.all(nodes.map((node) => node.deliverDue()))

      assert.equal(server.received.length, 40)
      assert.equal(new Set(server.received.map(({ mail }) => mail.messageId)).size, 40)
      await clusterOf?.close()
    })

    test('mails claimed by a dead node are sent by another node after a minute; a late failure of the first changes nothing', async () => {
      const [first, second] = [await openOutbox(), await openOutbox()]
      const stuck = Promise.withResolvers<{ responseCode: number; message: string }>()
      const taken = Promise.withResolvers<void>()
      server.decide.onRecipient = () => {
        taken.resolve()
        return stuck.promise
      }
      await send(first, mailTo('ada@example.com'))
      const delivering = first.deliverDue()
      await taken.promise
      server.decide.onRecipient = () => undefined

      clock.advance(MINUTE_MS - 1)
      await second.deliverDue()
      assert.equal(server.received.length, 0)
      clock.advance(1)
      await second.deliverDue()
      assert.equal(server.received.length, 1)

      stuck.resolve({ responseCode: 550, message: 'Too late' })
      await delivering
      const mail = await only(second)
      assert.deepEqual([mail?.status, mail?.attempts, mail?.lastError], ['sent', 2, null])
    })

    test('[AUT-23] without SMTP a mail is captured and read in development, newest first', async () => {
      const outbox = await openOutbox('captured')
      await send(outbox, mailTo('first@example.com'))
      clock.advance(1)
      await send(outbox, mailTo('second@example.com'))
      await outbox.deliverDue()

      const { mails } = await outbox.read(development)
      assert.deepEqual(
        mails.map(({ to, status, sentAt, text }) => ({ to, status, sentAt, text })),
        ['second@example.com', 'first@example.com'].map((to) => ({
          to,
          status: 'captured',
          sentAt: null,
          text: `Text ${LINK}`,
        })),
      )
      assert.equal((await outbox.read(development, 1)).mails[0]?.to, 'second@example.com')
      assert.equal(server.received.length, 0)
    })

    test('[AUT-23] a production key finds nothing there', async () => {
      await assert.rejects((await openOutbox()).read(production), { code: 'not_found' })
    })

    test('[AUT-23] an environment lists its mails, and without SMTP also those to the owner of the project', async () => {
      const mails = [
        mailTo('player@example.com'),
        mailTo('player@example.com', 'env_other'),
        mailTo(OWNER, null),
        mailTo(OWNER, 'env_other'),
        mailTo('somebody@example.com', null),
      ]
      const captured = await openOutbox('captured')
      await send(captured, ...mails)
      const readers = async (outbox: Outbox) =>
        (await outbox.read(development)).mails.map(({ to }) => to).sort()

      assert.deepEqual(await readers(captured), [OWNER, 'player@example.com'])
      assert.deepEqual(await readers(await openOutbox()), ['player@example.com'])
      const elsewhere = await captured.read({ ...development, id: 'env_none', projectId: 'prj_none' })
      assert.deepEqual(elsewhere, { mails: [] })
    })

    test('sent mails are deleted after 7 days, others after 30; pending mails are kept', async () => {
      const [smtp, captured] = [await openOutbox(), await openOutbox('captured')]
      await send(smtp, mailTo('sent@example.com'))
      await smtp.deliverDue()
      await send(captured, mailTo('captured@example.com'))
      await captured.deliverDue()
      server.decide.onRecipient = () => ({ responseCode: 550, message: 'No' })
      await send(smtp, mailTo('failed@example.com'))
      await smtp.deliverDue()
      await send(smtp, mailTo('pending@example.com'))
      const kept = async () => {
        await smtp.purgeExpired()
        return (await smtp.read(development)).mails.map(({ status }) => status).sort()
      }

      clock.advance(7 * DAY_MS)
      assert.deepEqual(await kept(), ['captured', 'failed', 'pending', 'sent'])
      clock.advance(1)
      assert.deepEqual(await kept(), ['captured', 'failed', 'pending'])
      clock.advance(23 * DAY_MS)
      assert.deepEqual(await kept(), ['pending'])
    })

    test('the newest 1,000 captured mails are kept', async () => {
      const outbox = await openOutbox('captured')
      await send(outbox, mailTo('oldest@example.com'))
      clock.advance(1)
      // In several transactions: on a busy machine a single one of 1,000 mails would time out.
      for (let batch = 0; batch < 10; batch++)
        await send(
          outbox,
          ...Array.from({ length: 100 }, (_, number) => mailTo(`p${batch}-${number}@example.com`)),
        )
      await outbox.deliverDue()
      const count = async () => (await outbox.read(development, 2_000)).mails.length

      assert.equal(await count(), 1_001)
      await outbox.purgeExpired()
      assert.equal(await count(), 1_000)
      const { mails } = await outbox.read(development, 2_000)
      assert.ok(mails.every(({ to }) => to !== 'oldest@example.com'))
      await outbox.purgeExpired()
      assert.equal(await count(), 1_000)
    })
  })
}
