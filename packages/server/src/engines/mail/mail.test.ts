import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, afterEach, before, describe, test } from 'node:test'

import { startSmtpServer } from '../../testing/smtp-server.ts'
import type { Message, SendFailure, Transport } from './mail.ts'
import { openMail } from './open.ts'
import { openSmtp } from './smtp.ts'

const FROM = 'svc <no-reply@example.com>'

const message = (id: string, to = 'ada@example.com'): Message => ({
  id,
  to,
  subject: 'Grüße, 世界',
  text: 'Plain text with a link: https://example.com/#token=abc\n',
  html: '<p>Rich text with a <a href="https://example.com/#token=abc">link</a></p>',
})

const failure = (permanent: boolean, reason: RegExp) => (error: SendFailure) =>
  error.permanent === permanent && reason.test(error.message)

describe('mail by SMTP', () => {
  let server: Awaited<ReturnType<typeof startSmtpServer>>
  let mail: Transport

  before(async () => {
    server = await startSmtpServer()
    mail = await openMail({ smtpUrl: server.url, from: FROM })
  })
  after(async () => {
    await mail.close()
    await server.stop()
  })
  afterEach(() => {
    server.received.length = 0
    server.decide.onRecipient = () => undefined
    server.decide.onMessage = () => undefined
  })

  test('a message arrives with both bodies, its sender and a Message-ID that contains its id', async () => {
    assert.equal(mail.name, 'smtp')
    await mail.send(message('eml_1'))

    const [arrived] = server.received
    assert.deepEqual(arrived?.recipients, ['ada@example.com'])
    assert.equal(arrived?.mail.subject, 'Grüße, 世界')
    assert.deepEqual(arrived?.mail.from, { name: 'svc', address: 'no-reply@example.com' })
    assert.equal(arrived?.mail.messageId, '<eml_1@example.com>')
    assert.match(arrived?.mail.text ?? '', /#token=abc/)
    assert.match(arrived?.mail.html ?? '', /#token=abc/)
    const automatic = arrived?.mail.headers.find(({ key }) => key === 'auto-submitted')
    assert.equal(automatic?.value, 'auto-generated')
  })

  test('only a mail with an unsubscribe link has the List-Unsubscribe headers', async () => {
    const headersOf = (at: number) =>
      Object.fromEntries(server.received[at]?.mail.headers.map(({ key, value }) => [key, value]) ?? [])
    await mail.send({ ...message('eml_7'), unsubscribeUrl: 'https://svc.example/one-click/abc' })
    await mail.send(message('eml_8'))

    assert.equal(headersOf(0)['list-unsubscribe'], '<https://svc.example/one-click/abc>')
    assert.equal(headersOf(0)['list-unsubscribe-post'], 'List-Unsubscribe=One-Click')
    assert.ok(!('list-unsubscribe' in headersOf(1)))
  })

  test('an address cannot add another recipient, and a subject cannot add a header', async () => {
    await assert.rejects(mail.send(message('eml_2', 'ada@example.com>\r\nRCPT TO:<eve@example.com')))
    await mail.send(message('eml_3', 'ada@example.com, eve@example.com')).catch(() => {})
    await mail.send({ ...message('eml_4'), subject: 'Hello\r\nBcc: eve@example.com' })
    assert.ok(
      server.received.every(
        ({ recipients }) => recipients.length === 1 && recipients[0] !== 'eve@example.com',
      ),
    )
    assert.equal(server.received.at(-1)?.mail.bcc, undefined)
  })

  test('a recipient rejected with 5xx is a permanent failure', async () => {
    server.decide.onRecipient = () => ({ responseCode: 550, message: 'No such user here' })
    await assert.rejects(mail.send(message('eml_5')), failure(true, /550 No such user here/))
  })

  test('a recipient rejected with 4xx may be retried', async () => {
    server.decide.onRecipient = () => ({ responseCode: 451, message: 'Greylisted' })
    await assert.rejects(mail.send(message('eml_6')), failure(false, /451 Greylisted/))
  })

  test('a message rejected for its content may be retried: an operator can fix the cause', async () => {
    server.decide.onMessage = () => ({ responseCode: 554, message: 'Sender not verified' })
    await assert.rejects(mail.send(message('eml_7')), failure(false, /554 Sender not verified/))
  })

  test('a server that is down is a temporary failure, and is used again when it runs again', async () => {
    await server.stop()
    await assert.rejects(mail.send(message('eml_8')), failure(false, /ECONNREFUSED|closed/))
    await server.start()
    await mail.send(message('eml_8'))
    assert.equal(server.received.length, 1)
  })

  test('a recipient without a response of the server times out, and other mails are sent in the meantime', async () => {
    const limits = { connectMs: 5_000, silenceMs: 5_000, sendMs: 1_500 }
    const impatient = openSmtp(server.url, FROM, limits)
    const never = Promise.withResolvers<undefined>()
    server.decide.onRecipient = (address) => (address === 'slow@example.com' ? never.promise : undefined)

    const slow = impatient.send(message('eml_9', 'slow@example.com'))
    const givenUp = assert.rejects(slow, failure(false, /longer than 1500 ms/))
    await impatient.send(message('eml_10', 'ada@example.com'))
    await givenUp

    assert.deepEqual(
      server.received.map(({ mail }) => mail.messageId),
      ['<eml_10@example.com>'],
    )
    never.resolve(undefined)
    await impatient.close()
  })

  test('an endless greeting of the server times out, too', async () => {
    const sockets = new Set<Socket>()
    const trickling = createServer((socket) => {
      sockets.add(socket)
      const timer = setInterval(() => socket.write('220-still here\r\n'), 10)
      socket.on('error', () => {}).on('close', () => clearInterval(timer))
    }).listen(0, '127.0.0.1')
    await once(trickling, 'listening')
    const { port } = trickling.address() as AddressInfo
    const limits = { connectMs: 5_000, silenceMs: 5_000, sendMs: 150 }
    const impatient = openSmtp(`smtp://127.0.0.1:${port}`, FROM, limits)

    await assert.rejects(impatient.send(message('eml_11')), failure(false, /longer than 150 ms/))

    await impatient.close()
    for (const socket of sockets) socket.destroy()
    trickling.close()
  })
})

test('responses of a server are reported without characters that no database stores', async (t) => {
  const odd = createServer((socket) => {
    socket.on('error', () => {}).write('220 hello\r\n')
    socket.on('data', (command: Buffer) =>
      socket.write(command.includes('RCPT TO') ? '550 No\0such user\r\n' : '250 ok\r\n'),
    )
  }).listen(0, '127.0.0.1')
  await once(odd, 'listening')
  const { port } = odd.address() as AddressInfo
  const mail = await openMail({ smtpUrl: `smtp://127.0.0.1:${port}`, from: FROM })
  t.after(async () => {
    await mail.close()
    odd.close()
  })
  await assert.rejects(mail.send(message('eml_13')), failure(true, /550 No such user/))
})

test('without SMTP no mail is sent', async () => {
  const mail = await openMail({ from: FROM })
  assert.equal(mail.name, 'captured')
  await mail.send(message('eml_12'))
  await mail.close()
})
