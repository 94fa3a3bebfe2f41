import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { constants, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { comesTrue } from '../../testing/in-time.ts'
import { createLogDestination } from './destination.ts'

const line = (number: number) => `${String(number).padStart(99, '0')}\n`
/** More than the pipe and the memory for waiting lines take together. */
const MANY = 20_000

async function openPipe(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = await open(path, 'w')
  const log = createLogDestination(writer.fd)
  t.after(async () => {
    log.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  })
  return { reader, log }
}

/** Reads until the text contains `last`. */
async function readUntil(reader: FileHandle, last: string): Promise<string> {
  let text = ''
  await comesTrue('the pipe is read', async () => {
    const buffer = Buffer.alloc(1024 * 1024)
    const { bytesRead } = await reader.read(buffer).catch(() => ({ bytesRead: 0 }))
    text += buffer.toString('utf8', 0, bytesRead)
    return text.includes(last)
  })
  return text
}

test('lines reach a file in order, also those that are left at the end', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'log')
  await using file = await open(path, 'a')
  const log = createLogDestination(file.fd)
  for (let number = 0; number < 2_000; number++) log.write(line(number))
  await comesTrue('all are written', () => readFileSync(path, 'utf8').length === 200_000)
  log.write(line(2_000))
  log.writeRest()
  const expected = Array.from({ length: 2_001 }, (_, number) => line(number)).join('')
  assert.equal(readFileSync(path, 'utf8'), expected)
  assert.equal(log.linesLost(), 0)
})

test('a pipe that nobody reads: lines wait, then are lost and counted; when it is read again, this is reported once', async (t) => {
  const { reader, log } = await openPipe(t)
  const reported: number[] = []
  log.onLost((lines) => reported.push(lines))
  for (let number = 0; number < MANY; number++) log.write(line(number))
  await comesTrue('lines are lost', () => log.linesLost() > 0)
  const kept = MANY - log.linesLost()

  const text = await readUntil(reader, line(kept - 1))
  assert.equal(text, Array.from({ length: kept }, (_, number) => line(number)).join(''))
  await comesTrue('it is reported', () => reported.length > 0)
  assert.deepEqual(reported, [MANY - kept])

  log.write(line(MANY))
  await readUntil(reader, line(MANY))
  assert.equal(log.linesLost(), MANY - kept)
  await reader.close()
})

test('a pipe whose reader has ended: lines are counted as lost, and nothing is thrown', async (t) => {
  const { reader, log } = await openPipe(t)
  await reader.close()
  log.write(line(1))
  log.write(line(2))
  await comesTrue('the lines are lost', () => {
    log.write(line(3))
    return log.linesLost() > 0
  })
  const before = log.linesLost()
  log.write(line(4))
  log.writeRest()
  assert.equal(log.linesLost(), before + 1)
})

test('a device without space: lines wait in bounded memory, the others are counted, and nothing is thrown', async () => {
  await using full = await open('/dev/full', 'w')
  const log = createLogDestination(full.fd)
  for (let number = 0; number < MANY; number++) log.write(line(number))
  assert.equal(log.linesLost(), MANY - Math.floor((1024 * 1024) / 100))
  log.writeRest()
  log.close()
})
