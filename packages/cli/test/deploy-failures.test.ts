import assert from 'node:assert/strict'
import { once } from 'node:events'
import { truncate, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, type TestContext, test } from 'node:test'

import { type TestSetup, launch, startTestSetup } from './cli.ts'

/** More than fits into the buffers between two programs. */
const LARGE_BYTES = 32_000_000

let setup: TestSetup
let folder: string
before(async () => {
  setup = await startTestSetup()
  await setup.json(['new', 'star-duel', '--no-install'])
  folder = join(setup.root, 'star-duel')
  await setup.json(['deploy'], { folder })
})
after(() => setup.stop())

type Wire = (
  asked: IncomingMessage,
  answer: ServerResponse,
  pass: () => Promise<IncomingMessage>,
) => void | Promise<void>

/** A faulty connection between svc and the service: `wire` decides about each request. */
async function badLine(t: TestContext, wire: Wire) {
  const line = createServer((asked, answer) => {
    const pass = async () => {
      const { method, url: path, headers } = asked
      const passed = request({ host: '127.0.0.1', port: setup.port, method, path, headers })
      asked.pipe(passed)
      const [reply] = (await once(passed, 'response')) as [IncomingMessage]
      return reply
    }
    Promise.try(() => wire(asked, answer, pass)).catch((error: Error) => answer.destroy(error))
  })
  line.listen(0, '127.0.0.1')
  await once(line, 'listening')
  t.after(() => {
    line.closeAllConnections()
    line.close()
  })
  return `http://localhost:${(line.address() as AddressInfo).port}`
}

const answerAsIs = async (answer: ServerResponse, pass: () => Promise<IncomingMessage>) => {
  const reply = await pass()
  answer.writeHead(reply.statusCode ?? 500, reply.headers)
  reply.pipe(answer)
}

const isUpload = ({ method, url }: IncomingMessage) => method === 'PUT' && url?.includes('/blobs/') === true
const isBegin = ({ method, url }: IncomingMessage) => method === 'POST' && url === '/v1/deployments'
const isFinalize = ({ url }: IncomingMessage) => url?.endsWith('/finalize') === true

/** The proxy has another URL, where the developer is not signed in, so a secret key is used. */
async function deployOver(url: string) {
  const { plaintext } = await setup.json(['keys', 'create'], { folder })
  const child = launch(['deploy', '--no-config'], {
    folder,
    variables: { ...setup.own, SVC_URL: url, SVC_KEY: plaintext },
  })
  child.stdin.end()
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(
    ([[code], out, err]) => ({ code, out, err }),
  )
  return { child, ended }
}

const live = async (): Promise<{ version: number }> => {
  const { deployments } = await setup.json(['deploys'], { folder })
  return deployments.find((one: { live: boolean }) => one.live)
}

describe('during svc deploy', () => {
  test('a changed file stops it, and is reported', async (t) => {
    const path = join(folder, 'public/large.bin')
    await writeFile(path, '')
    await truncate(path, LARGE_BYTES)
    const before = await live()
    const url = await badLine(t, (asked, answer, pass) => {
      if (!isUpload(asked)) return answerAsIs(answer, pass)
      asked.once('data', () => {
        asked.pause()
        void writeFile(path, 'smaller').then(() => asked.resume())
      })
    })
    const { code, err } = await (await deployOver(url)).ended

    assert.equal(code, 1)
    assert.match(err, /✖ large\.bin changed during the upload\. Nothing was activated\./)
    assert.deepEqual(await live(), before)
  })

  test('Ctrl-C exits with 130 and reports that nothing was activated', async (t) => {
    await writeFile(join(folder, 'public/new.txt'), 'to be stopped')
    const before = await live()
    const { promise: uploading, resolve } = Promise.withResolvers<void>()
    const url = await badLine(t, (asked, answer, pass) => {
      if (!isUpload(asked)) return answerAsIs(answer, pass)
      resolve()
    })
    const { child, ended } = await deployOver(url)
    await uploading
    child.kill('SIGINT')
    const { code, err } = await ended

    assert.equal(code, 130)
    assert.match(err, /✖ Canceled\. Nothing was activated\./)
    assert.deepEqual(await live(), before)
  })

  test('broken connections are opened again, and a version goes live once', async (t) => {
    await writeFile(join(folder, 'public/new.txt'), 'over a bad line')
    const { version } = await live()
    const broken = { uploads: 0, answers: 0 }
    const url = await badLine(t, async (asked, answer, pass) => {
      if (isUpload(asked) && broken.uploads++ < 2) return void asked.destroy()
      if (!isFinalize(asked) || broken.answers++ > 0) return answerAsIs(answer, pass)
      // The version is activated, but the response is lost.
      await pass()
      answer.destroy()
    })
    const { code, out, err } = await (await deployOver(url)).ended

    assert.equal(code, 0, err)
    const now = await live()
    assert.match(out, new RegExp(`◆ v${now.version} is live`))
    assert.ok(now.version > version && broken.uploads > 2 && broken.answers === 2)
  })

  test('a deployment that was created before a restart of the service is created again', async (t) => {
    await writeFile(join(folder, 'public/new.txt'), 'over a restart')
    let begun = 0
    const url = await badLine(t, async (asked, answer, pass) => {
      if (!isBegin(asked) || begun++ > 0) return answerAsIs(answer, pass)
      await pass()
      answer.destroy()
    })
    const { code, err } = await (await deployOver(url)).ended

    assert.equal(code, 0, err)
    assert.equal(begun, 2)
  })

  test('Ctrl-C during activation does not report that nothing was activated', async (t) => {
    await writeFile(join(folder, 'public/new.txt'), 'too late to stop')
    const before = await live()
    const { promise: isLive, resolve } = Promise.withResolvers<void>()
    const url = await badLine(t, async (asked, answer, pass) => {
      if (!isFinalize(asked)) return answerAsIs(answer, pass)
      await pass()
      resolve()
    })
    const { child, ended } = await deployOver(url)
    await isLive
    child.kill('SIGINT')
    const { code, err } = await ended

    assert.equal(code, 130)
    assert.notDeepEqual(await live(), before)
    assert.match(err, /✖ Canceled during activation\. Run svc deploys to see which version is live\./)
  })
})
