import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

import { comesTrue } from '../../testing/in-time.ts'
import { runs } from '../../testing/runs.ts'
import { startVoiceBots } from '../../testing/voice-bots.ts'
import { createProcessSfu } from './process.ts'

const SETTINGS = { host: '127.0.0.1', port: 0, publicIp: undefined, repairsTurn: false }
const HOW = { canSpeak: true, address: '127.0.0.1', ptime: 20 } as const
const JOINS = runs(40, 1_000)
const TOGETHER = 5
/** What the allocator may keep. */
const GROWTH_BYTES_MAX = runs(40, 60) * 1e6

test(`[VOI-01] ${JOINS} joins and leaves leave no socket, no thread and little memory behind`, async (t) => {
  const sfu = createProcessSfu(SETTINGS, { log: () => {}, slots: 6 })
  t.after(sfu.close)
  const bots = startVoiceBots()
  t.after(bots.stop)
  const renewing = setInterval(() => sfu.renew(['a']), 1_000)
  t.after(() => clearInterval(renewing))

  async function joinAndLeave(memberId: string) {
    const who = { callId: 'a', memberId }
    let offer = ''
    const bot = await bots.join({
      async publish(sdp) {
        const admitted = await sfu.admit(who, sdp, HOW)
        offer = admitted.offer
        return admitted.answer
      },
      slotsOffer: async () => offer,
      answer: (sdp) => sfu.answer(who, sdp),
    })
    await bot.burst(5)
    sfu.remove(who)
    await bot.close()
  }
  async function many(count: number, name: string) {
    for (let joined = 0; joined < count; joined += TOGETHER)
      await Promise.all(Array.from({ length: TOGETHER }, (_, at) => joinAndLeave(`${name} ${joined + at}`)))
  }
  /** When all connections are closed. */
  async function level() {
    await comesTrue('nobody is left', () => {
      const { members, residentBytes } = sfu.load()
      return residentBytes > 0 && members === 0
    })
    const count = async (folder: string) => (await readdir(`/proc/${sfu.pid}/${folder}`)).length
    const [, residentKb] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${sfu.pid}/status`, 'utf8')) ?? []
    return { files: await count('fd'), threads: await count('task'), bytes: Number(residentKb) * 1024 }
  }

  await many(20, 'first')
  const before = await level()
  await many(JOINS, 'later')
  await comesTrue('sockets are closed', async () => (await level()).files <= before.files)
  const after = await level()
  t.diagnostic(
    `${JOINS} joins: ${Math.round(before.bytes / 1e6)} → ${Math.round(after.bytes / 1e6)} MB, ${before.files} → ${after.files} files, ${before.threads} → ${after.threads} threads`,
  )
  assert.ok(after.threads <= before.threads)
  assert.ok(after.bytes - before.bytes < GROWTH_BYTES_MAX)
})
