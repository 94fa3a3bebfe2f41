import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

import { cjkFont, exampleCard, inputFile } from '../../testing/card-pictures.ts'
import { until } from '../../testing/cluster.ts'
import { hugePng, pngOf } from '../../testing/png.ts'
import { runs } from '../../testing/runs.ts'
import type { Card, Drawing, InputFile } from './cards.ts'
import { imageSize } from './image-header.ts'
import { openCards } from './open.ts'
import { plainCard } from './plain-card.ts'
import { openTakumi } from './takumi.ts'

const of = (environmentId: string): Card => ({ ...exampleCard, environmentId })
const reasonOf = (drawing: Drawing) => (drawing.isDrawn ? 'drawn' : drawing.reason)

function isRunning(processId: number | undefined): boolean {
  try {
    return processId !== undefined && process.kill(processId, 0)
  } catch {
    return false
  }
}

const residentMegabytes = (processId: number | undefined) => {
  const [, kib = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? []
  return Math.round((Number(kib) * 1_024) / 1e6)
}

const ended = (processId: number | undefined) =>
  until(
    () => isRunning(processId),
    (running) => !running,
  )

/** An engine whose log is recorded, and which is closed at the end of the test. */
function openForTest(limits: NonNullable<Parameters<typeof openTakumi>[0]['limits']> = {}) {
  const lines: string[] = []
  const cards = openTakumi({ log: (line) => lines.push(line), limits })
  return { ...cards, lines, [Symbol.asyncDispose]: cards.close }
}

describe('the engine off', () => {
  test('[SHR-09] every card is the fallback picture of 1200x600', async () => {
    const cards = await openCards({ driver: 'off' }, assert.fail)
    const drawing = await cards.draw(exampleCard)
    assert.deepEqual(drawing, { isDrawn: false, png: plainCard(), problems: [], reason: 'off' })
    assert.deepEqual(imageSize(drawing.png), { width: 1200, height: 600 })
    assert.equal(cards.fontProblem(cjkFont), undefined)
    await cards.close()
  })
})

describe('the engine takumi', () => {
  test('[SHR-09] the process starts with the first card, and no secret of the service is in its environment', async () => {
    await using cards = openForTest()
    assert.equal(cards.processId(), undefined)
    assert.equal(reasonOf(await cards.draw(exampleCard)), 'drawn')

    const environment = readFileSync(`/proc/${cards.processId()}/environ`, 'utf8').split('\0')
    const names = environment.filter(Boolean).map((variable) => variable.split('=', 1)[0] ?? '')
    assert.deepEqual(
      names.filter((name) => !/^NODE_(CHANNEL|COMPILE_CACHE)/.test(name)),
      ['RAYON_NUM_THREADS'],
    )
  })

  test('[SHR-09] the process ends after a time without cards, and the next card starts another', async () => {
    await using cards = openForTest({ idleMs: 1 })
    await cards.draw(exampleCard)
    const first = cards.processId()
    await ended(first)
    assert.equal(reasonOf(await cards.draw(exampleCard)), 'drawn')
    assert.notEqual(cards.processId(), first)
    assert.deepEqual(cards.lines, [])
  })

  test('[SHR-09] a process that is killed while it draws is replaced, and the card is drawn', async () => {
    await using cards = openForTest()
    const drawing = cards.draw(exampleCard)
    const first = cards.processId() ?? 0
    process.kill(first, 'SIGKILL')
    assert.equal(reasonOf(await drawing), 'drawn')
    assert.notEqual(cards.processId(), first)
    assert.match(cards.lines.join(), /SIGKILL/)
  })

  test('[SHR-09] a process that uses too much memory is ended, whether its card was drawn or not', async () => {
    await using cards = openForTest({ rssBytesMax: 1_000 })
    const { png } = await cards.draw({ ...exampleCard, font: inputFile(cjkFont) })
    assert.deepEqual(imageSize(png), { width: 1200, height: 600 })
    assert.equal(cards.processId(), undefined)
  })

  test('[SHR-09] one process draws many cards with at most 250 MB', async (t) => {
    await using cards = openForTest({ rssBytesMax: 250_000_000 })
    await cards.draw(exampleCard)
    const first = cards.processId()
    const count = runs(50, 10_000)
    const megabytes: number[] = []
    for (let score = 1; score <= count; score++) {
      const drawing = await cards.draw({ ...exampleCard, score, font: score % 2 ? inputFile(cjkFont) : null })
      assert.equal(reasonOf(drawing), 'drawn')
      if (score % (count / 10) === 0) megabytes.push(residentMegabytes(cards.processId()))
    }
    t.diagnostic(`MB after each tenth of ${count} cards: ${megabytes.join(', ')}`)
    assert.equal(cards.processId(), first, 'a process with more memory would have been replaced')
    assert.deepEqual(cards.lines, [])
  })

  test('[SHR-09] a process gets a font once, and another one again', async () => {
    await using cards = openForTest()
    let reads = 0
    const counted = (bytes: Buffer): InputFile => ({
      ...inputFile(bytes),
      async read() {
        reads++
        return bytes
      },
    })
    const japanese = { ...exampleCard, title: '星之对决', font: counted(cjkFont) }
    const { png } = await cards.draw(japanese)
    await cards.draw(exampleCard)
    const same = await cards.draw({ ...japanese, font: counted(cjkFont) })
    assert.ok(Buffer.from(png).equals(same.png))
    assert.equal(reads, 1)

    process.kill(cards.processId() ?? 0, 'SIGKILL')
    const again = await cards.draw(japanese)
    assert.ok(Buffer.from(png).equals(again.png))
    await cards.draw({ ...japanese, font: counted(Buffer.from('no font')) })
    assert.ok(Buffer.from(png).equals((await cards.draw(japanese)).png))
    assert.equal(reads, 4)
  })

  test('[SHR-09] a file that cannot be read fails its card only, and a file that is gone is left out', async () => {
    await using cards = openForTest()
    const plain = await cards.draw(exampleCard)
    const background = inputFile(pngOf(8, 8, () => [200, 0, 0]))
    const unreadable: InputFile = { sha256: 'a', read: () => Promise.reject(new Error('no disk')) }
    const failed = cards.draw({ ...exampleCard, background, font: unreadable })
    const next = cards.draw({ ...exampleCard, background })
    const gone = cards.draw({ ...exampleCard, background: { sha256: 'b', read: async () => null } })

    await assert.rejects(failed, /no disk/)
    assert.ok(!Buffer.from(plain.png).equals((await next).png), 'the background is missing')
    assert.deepEqual(await gone, plain)
    assert.deepEqual(cards.lines, [])
  })

  test('[SHR-09] a card that takes too much CPU time is a fallback, and its process is replaced', async () => {
    await using cards = openForTest({ drawCpuMsMax: 0 })
    const drawing = await cards.draw(exampleCard)
    assert.deepEqual([reasonOf(drawing), drawing.problems], ['timeout', []])
    assert.equal(cards.processId(), undefined)
    assert.match(cards.lines.join(), /too much CPU time/)
  })

  test('[SHR-09] a background that takes too much CPU time is left out of a fallback, and reported', async () => {
    // The card alone takes about 15 ms of CPU time, and 25 ms as the first one of a process.
    await using cards = openForTest({ drawCpuMsMax: 150 })
    const plain = await cards.draw(exampleCard)

    const drawing = await cards.draw({ ...exampleCard, background: inputFile(hugePng()) })
    assert.equal(reasonOf(drawing), 'timeout')
    assert.deepEqual(drawing.problems, [{ file: 'background', message: 'takes too long to draw' }])
    assert.ok(Buffer.from(drawing.png).equals(plain.png), 'the card without its background')

    const processId = cards.processId()
    const next = await cards.draw({ ...exampleCard, score: 1, background: inputFile(hugePng()) })
    assert.deepEqual([reasonOf(next), next.problems], ['timeout', drawing.problems])
    assert.equal(cards.processId(), processId, 'it was tried again')
  })

  test('[SHR-09] time in which the process does not run does not count', async () => {
    await using cards = openForTest({ drawCpuMsMax: 500 })
    await using others = openForTest({ drawCpuMsMax: 60_000 })
    await cards.draw(exampleCard)
    const processId = cards.processId() ?? 0
    process.kill(processId, 'SIGSTOP')
    const drawing = cards.draw(exampleCard)
    // More than 500 ms pass meanwhile.
    for (let count = 0; count < 100; count++) await others.draw(exampleCard)
    process.kill(processId, 'SIGCONT')
    assert.equal(reasonOf(await drawing), 'drawn')
    assert.equal(cards.processId(), processId)
  })

  test('[SHR-09] a process that does not reply is ended, before its first card and later', async () => {
    await using cards = openForTest({ waitMsMax: 1 })
    assert.equal(reasonOf(await cards.draw(exampleCard)), 'timeout')
    assert.equal(cards.processId(), undefined)
    assert.match(cards.lines.join(), /too long/)

    await using later = openForTest({ waitMsMax: 30_000 })
    await later.draw(exampleCard)
    const processId = later.processId() ?? 0
    process.kill(processId, 'SIGSTOP')
    const drawing = later.draw(exampleCard)
    process.kill(processId, 'SIGKILL')
    assert.equal(reasonOf(await drawing), 'drawn')
    assert.notEqual(later.processId(), processId)
  })

  test('[SHR-09] at most 250 cards of one environment wait, and 1,000 in total', async () => {
    await using cards = openForTest()
    const first = cards.draw(of('a'))
    const ofOne = Array.from({ length: 251 }, () => cards.draw(of('a')))
    const others = Array.from({ length: 750 }, (_, index) => cards.draw(of(`other${index % 10}`)))
    const oneMore = cards.draw(of('b'))

    assert.equal(reasonOf(await oneMore), 'busy')
    assert.equal(reasonOf(await (ofOne[250] ?? first)), 'busy')
    await first
    const waiting = Promise.all([...ofOne.slice(0, 250), ...others])
    await cards.close()
    assert.ok((await waiting).every((drawing) => ['drawn', 'closed'].includes(reasonOf(drawing))))
  })

  test('[SHR-09] the many cards of one environment do not delay the few of another', async () => {
    await using cards = openForTest()
    const order: string[] = []
    const draw = async (environmentId: string) => {
      await cards.draw(of(environmentId))
      order.push(environmentId)
    }
    await Promise.all([...Array.from({ length: 40 }, () => draw('a')), draw('b'), draw('c')])
    assert.ok(order.indexOf('b') <= 10 && order.indexOf('c') <= 10, order.join(''))
    assert.equal(order.length, 42)
  })

  test('[SHR-09] close ends the process, and every waiting card gets the fallback picture', async () => {
    await using cards = openForTest()
    await cards.draw(exampleCard)
    const processId = cards.processId()
    const waiting = Array.from({ length: 5 }, () => cards.draw(exampleCard))
    await cards.close()
    assert.ok(!isRunning(processId))
    assert.deepEqual((await Promise.all(waiting)).map(reasonOf), Array(5).fill('closed'))
    assert.equal(reasonOf(await cards.draw(exampleCard)), 'closed')
    assert.deepEqual(cards.lines, [])
  })

  test('[SHR-09] no drawing process is left when the service is killed', async () => {
    const script = `
      const { openTakumi } = await import(${JSON.stringify(new URL('takumi.ts', import.meta.url))})
      const { exampleCard } = await import(${JSON.stringify(new URL('../../testing/card-pictures.ts', import.meta.url))})
      const cards = openTakumi({ log() {} })
      await cards.draw(exampleCard)
      console.log(cards.processId())
      setInterval(() => {}, 1000)`
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(service.stdout, 'data')
    const processId = Number(line)
    assert.ok(isRunning(processId))
    service.kill('SIGKILL')
    await ended(processId)
  })
})
