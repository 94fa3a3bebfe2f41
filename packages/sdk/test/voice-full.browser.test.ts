import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Page } from '../../server/src/testing/browser.ts'
import { newGuest } from '../../server/src/testing/guests.ts'
import { comesTrue } from '../../server/src/testing/in-time.ts'
import { runs } from '../../server/src/testing/runs.ts'
import { connect } from '../../server/src/testing/sockets.ts'
import { startVoiceBots, type VoiceBot, type VoiceBots } from '../../server/src/testing/voice-bots.ts'
import { callAsBot } from '../../server/src/testing/voice.ts'
import { startVoicePages, type VoicePages } from './voice-pages.ts'

const BOTS = runs(20, 92)
const PLAYERS = runs(2, 8)
const SPEAKERS = 4
const CHANNEL = '@full'

let pages: VoicePages
let page: Page
let bots: VoiceBots
before(async () => {
  pages = await startVoicePages()
  page = await pages.open()
  bots = startVoiceBots()
})
after(async () => {
  await bots.stop()
  await pages.stop()
})

test(`[VOI-01] [VOI-08] a call of ${BOTS} bots and ${PLAYERS} players in a browser: everybody hears the speakers, and no packet is lost`, async (t) => {
  const { service, development } = pages.world
  const voice = { mode: 'sfu' }
  await development.server('PUT', `/v1/realtime/channels/${CHANNEL}`, { voice, maxMembers: BOTS + PLAYERS })
  const callers: { id: string; bot: VoiceBot }[] = []
  for (let joined = 0; joined < BOTS; joined++) {
    const client = await connect(service, development, await newGuest(development))
    await client.request({ t: 'channelJoin', channel: CHANNEL })
    callers.push({ id: client.id, bot: await callAsBot(bots, client, CHANNEL) })
  }
  for (let joined = 0; joined < PLAYERS; joined++) await page.read(`join('${CHANNEL}', 0)`)
  const full = await connect(service, development, await newGuest(development))
  assert.equal((await full.refusal({ t: 'channelJoin', channel: CHANNEL })).code, 'channel_full')
  pages.passTime()
  await page.until(`players.every(({ call }) => call.members.length === ${BOTS + PLAYERS})`)

  const [speakers, listeners] = [callers.slice(0, SPEAKERS), callers.slice(SPEAKERS)]
  const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0)
  const sent = async () => total(await Promise.all(speakers.map(({ bot }) => bot.sent())))
  const heard = () => Promise.all(listeners.map(({ bot }) => bot.heard()))
  for (const { bot } of speakers) await bot.talk()
  await comesTrue('everybody hears', async () => Math.min(...(await heard())) > 200, 60_000)
  const ids = JSON.stringify(speakers.map(({ id }) => id).toSorted())
  await page.until(`players.every((_, at) => JSON.stringify(heardBy(at)) === ${JSON.stringify(ids)})`)
  const { cpu, loopDelayMs, residentBytes } = service.sfu.load()
  for (const { bot } of speakers) await bot.stopTalking()

  const sentInAll = await sent()
  // Packets of the time before all had joined were not for them: they talked only afterwards.
  await comesTrue('every packet has arrived at every bot', async () =>
    (await heard()).every((count) => count === sentInAll),
  )
  const lost = await page.read(
    `Promise.all(connections.map((each) => each.sound())).then((all) => all.reduce((sum, { lost }) => sum + lost, 0))`,
  )
  assert.equal(lost, 0)
  t.diagnostic(
    `${BOTS + PLAYERS} people: ${Math.round(cpu * 100)} % of a core, ${Math.round(residentBytes / 1e6)} MB, event-loop delay p99 ${loopDelayMs.toFixed(1)} ms`,
  )
})
