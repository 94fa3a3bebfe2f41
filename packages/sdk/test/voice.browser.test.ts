import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Page } from '../../server/src/testing/browser.ts'
import { inTurn, runs } from '../../server/src/testing/runs.ts'
import { startVoicePages, type VoicePages } from './voice-pages.ts'

let pages: VoicePages
let page: Page
before(async () => {
  pages = await startVoicePages()
  page = await pages.open()
})
after(() => pages.stop())

const passTime = () => pages.passTime()
/** Delayed events come only with time that passes after a call was restored. */
const isBack = (player: number) => `players[${player}].events.some(([name]) => name === 'reconnected')`
const moderate = (channel: string, moderation: object) =>
  pages.world.development.server('POST', `/v1/realtime/channels/${channel}/moderate`, moderation)

test('[VOI-01] [VOI-09] three players of a peer-to-peer call hear each other through TURN only; mute stops it', async () => {
  for (const loudness of [0.3, 0.3, 0]) await page.read(`join('@mesh', ${loudness})`)
  passTime()
  await page.until('hears(0, 1) && hears(1, 0) && hears(2, 0, 1)')
  const candidates = (await page.read('candidates')) as string[]
  assert.ok(candidates.length > 0)
  for (const candidate of candidates) assert.match(candidate, / typ relay /)

  await page.until('Math.abs(players[2].levels[players[0].id] - 0.3) < 0.05')
  await page.read('players[0].call.mute()')
  await page.until('hears(2, 1)')
  await page.read('players[0].call.unmute()')
  await page.until('hears(2, 0, 1)')
  await page.read('players[1].call.leave()')
  passTime()
  await page.until('hears(2, 0) && players[2].call.members.length === 2')
  assert.deepEqual(await page.read(`players[1].events.at(-1)`), ['closed', 'left'])
  await page.read('everybodyLeaves()')
})

test('[VOI-01] a player alone in a peer-to-peer call sees the own level; the meter closes when somebody joins', async () => {
  const id = (await page.read(`join('@mesh', 0.3)`)) as string
  const isSpeaking = `players[0].speaking['${id}']`
  await page.until(`Math.abs(players[0].levels['${id}'] - 0.3) < 0.05 && ${isSpeaking}`)
  await page.read('players[0].call.mute()')
  await page.until(`players[0].levels['${id}'] === 0 && !${isSpeaking}`)
  await page.read('players[0].call.unmute()')
  await page.until(isSpeaking)
  const open = `meters.filter(({ connectionState }) => connectionState !== 'closed').length`
  assert.equal(await page.read(open), 2)

  await page.read(`join('@mesh', 0)`)
  passTime()
  await page.until(`hears(1, 0) && ${open} === 0`)
  await page.read(`players[0].levels = {}`)
  await page.until(`players[0].levels['${id}'] > 0.02`)
  await page.read('everybodyLeaves()')
})

test('[VOI-08] nine players of a relay-server call hear exactly the speakers; a change of speakers negotiates nothing', async () => {
  for (const loudness of [0.3, 0.3, 0, 0, 0, 0, 0, 0, 0]) await page.read(`join('@relay', ${loudness})`)
  passTime()
  await page.until('hears(8, 0, 1) && hears(0, 1) && hears(1, 0)')
  await page.until('Math.abs(players[8].levels[players[0].id] - 0.3) < 0.05')
  assert.equal(await page.read('players[8].call.members.filter(({ isSpeaking }) => isSpeaking).length'), 2)
  assert.equal(await page.read('connections.length'), 9)

  const descriptions = 'connections.map(({ remoteDescription }) => remoteDescription.sdp).join()'
  const before = await page.read(descriptions)
  await page.read('players[0].tone.value = 0; players[5].tone.value = 0.3')
  await page.until('hears(8, 1, 5)')
  assert.equal(await page.read(descriptions), before)

  // The service cuts the sound, whatever the client does.
  await moderate('@relay', { op: 'mute', playerId: await page.read('players[1].id') })
  await page.until('hears(8, 5)')
  assert.deepEqual(await page.read('players[1].events.at(-1)'), ['muted', true, 'channel'])
  await moderate('@relay', { op: 'unmute', playerId: await page.read('players[1].id') })
  await page.until('hears(8, 1, 5)')
})

test('[VOI-10] after the loss of the relay server everybody is back by itself, with volume and mute as before', async (t) => {
  await page.read('players[1].call.mute(); players[8].call.setVolume(players[5].id, 0.4)')
  const tookMs: number[] = []
  for (let kills = 0; kills < runs(1, 20); kills++) {
    await page.read('players.forEach((player) => { player.events.length = 0; player.levels = {} })')
    const killedAt = performance.now()
    process.kill(pages.world.service.sfu.pid ?? 0, 'SIGKILL')
    await page.until(`players.every(({ events }) => events.some(([name]) => name === 'reconnected'))`)
    passTime()
    await page.until('hears(8, 5)')
    tookMs.push(Math.round(performance.now() - killedAt))
    // A connection may join ten times a minute.
    pages.world.service.clock.advance(10_000)
  }
  t.diagnostic(`heard again after ${tookMs.toSorted((a, b) => a - b).join(', ')} ms`)
  const [muted, volume] = (await page.read(
    '[players[1].call.isMuted, players[8].call.members.find(({ id }) => id === players[5].id).volume]',
  )) as [boolean, number]
  assert.deepEqual([muted, volume], [true, 0.4])
  await page.read('everybodyLeaves()')
})

test('[VOI-05] [VOI-12] who only listens is not asked for a microphone; errors say what is wrong', async () => {
  await page.read(
    `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotAllowedError') }`,
  )
  assert.deepEqual(await page.read(`failure('@relay')`), [true, 'microphone_denied'])
  for (const [name, code] of [
    ['NotFoundError', 'microphone_not_found'],
    ['NotReadableError', 'microphone_busy'],
    ['NotSupportedError', 'not_available'],
    ['TypeError', 'not_available'],
  ]) {
    await page.read(
      `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', '${name}') }`,
    )
    assert.deepEqual(await page.read(`failure('@relay')`), [true, code])
  }
  assert.match(String(await page.read(`join('@relay').catch(({ message }) => message)`)), /^TypeError/)
  await page.read(`join('@relay', 0, { microphone: false })`)
  await page.read(`navigator.mediaDevices.getUserMedia = realMicrophone`)
  await page.read(`join('@relay', 0)`)
  passTime()
  await page.until('players[0].call.members.length === 2')
  await page.read(`players[1].call.devices().then(({ microphones }) => microphones.length)`)
  await page.read('useTones(); everybodyLeaves()')
})

for (const channel of inTurn(['@mesh', '@relay']))
  test(`[VOI-10] after a lost connection, a change of network and a restart of the service a call comes back by itself: ${channel}`, async () => {
    for (const loudness of [0.3, 0]) await page.read(`join('${channel}', ${loudness})`)
    passTime()
    await page.until('hears(1, 0)')
    const isBackAfter = async (loss: () => unknown) => {
      await page.read('players.forEach((player) => { player.events.length = 0; player.levels = {} })')
      await loss()
      await page.until(`players.every(({ events }) => events.some(([name]) => name === 'reconnected'))`)
      passTime()
      await page.until('hears(1, 0)')
    }
    await isBackAfter(() => pages.world.destroyConnections())
    await isBackAfter(() => page.read(`void dispatchEvent(new Event('online'))`))
    await isBackAfter(() => pages.world.restart())

    await page.read(`navigator.connection.dispatchEvent(new Event('change'))`)
    assert.equal(
      await page.read(`players[0].events.at(-1)[0]`),
      'reconnected',
      'another estimate of the speed does not count as a change of network',
    )
    await page.read('everybodyLeaves()')
  })

test('[VOI-10] who joins while the relay server ends is in the call when it is there again', async () => {
  await page.read(`join('@relay', 0.3)`)
  await page.read(`globalThis.joining = join('@relay', 0); setTimeout(() => {})`)
  process.kill(pages.world.service.sfu.pid ?? 0, 'SIGKILL')
  await page.read('joining')
  await page.until(isBack(0))
  passTime()
  await page.until('hears(1, 0)')
  await page.read('everybodyLeaves()')
})

test('[VOI-10] a second loss while a call is restored does not end it', async () => {
  for (const loudness of [0.3, 0]) await page.read(`join('@relay', ${loudness})`)
  passTime()
  await page.until('hears(1, 0)')
  await page.read(`{
    const { prototype } = RTCPeerConnection
    const { setRemoteDescription } = prototype
    prototype.setRemoteDescription = function (description) {
      prototype.setRemoteDescription = setRemoteDescription
      dispatchEvent(new Event('online'))
      return setRemoteDescription.call(this, description)
    }
    players.forEach((player) => { player.events.length = 0; player.levels = {} })
    void dispatchEvent(new Event('online'))
  }`)
  await page.until(`players.every(({ events }) => events.at(-1)?.[0] === 'reconnected')`)
  passTime()
  await page.until('hears(1, 0)')
  await page.read('everybodyLeaves()')
})

test('[VOI-13] a peer-to-peer call keeps the connections that work when a player loses the service', async () => {
  for (const loudness of [0.3, 0]) await page.read(`join('@mesh', ${loudness})`)
  passTime()
  await page.until('hears(1, 0)')
  const connections = await page.read('connections.length')
  const isBackAfterLoss = async () => {
    await page.read('players[1].events.length = 0; players[1].levels = {}')
    pages.world.destroyNewestConnection()
    await page.until(isBack(1))
    passTime()
    await page.until('hears(1, 0) && players[0].call.members.length === 2')
    assert.equal(await page.read('connections.length'), connections)
  }
  // The service has just announced the members, so it announces neither that the player left nor that it joined.
  await isBackAfterLoss()
  // Now it announces both.
  passTime()
  await page.read(
    `globalThis.counts = []; players[0].call.on('members', ({ length }) => counts.push(length))`,
  )
  await isBackAfterLoss()
  assert.deepEqual(await page.read('counts'), [1, 2])

  await page.read('players[1].call.leave()')
  passTime()
  await page.until('connections.every(({ signalingState }) => signalingState === "closed")')
  await page.read('everybodyLeaves()')
})

test('[VOI-13] through the relay server the former connection is heard until the next one is connected', async () => {
  for (const loudness of [0.3, 0]) await page.read(`join('@relay', ${loudness})`)
  passTime()
  await page.until('hears(1, 0)')
  const open = `connections.filter(({ signalingState }) => signalingState !== 'closed').length`
  await page.read(`{
    const Real = RTCPeerConnection
    globalThis.openBefore = []
    globalThis.RTCPeerConnection = class extends Real {
      constructor(configuration) {
        if (configuration) openBefore.push(${open})
        super(configuration)
      }
    }
    globalThis.forget = () => { globalThis.RTCPeerConnection = Real }
    void dispatchEvent(new Event('online'))
  }`)
  await page.until(`${isBack(0)} && ${isBack(1)}`)
  assert.ok(((await page.read('openBefore')) as number[]).every((count) => count >= 2))
  assert.equal(await page.read(open), 2)
  passTime()
  await page.until('hears(1, 0)')
  await page.read('forget(); everybodyLeaves()')
})

test('[VOI-10] nobody counts as speaking while a call is restored', async () => {
  for (const loudness of [0.3, 0]) await page.read(`join('@relay', ${loudness})`)
  const speaking = 'players[1].call.members.filter(({ isSpeaking }) => isSpeaking).length'
  passTime()
  await page.until(`${speaking} === 1`)
  await page.read(`players[1].call.on('reconnecting', () => { globalThis.speakingMeanwhile = ${speaking} })`)
  await page.read(`void dispatchEvent(new Event('online'))`)
  await page.until('globalThis.speakingMeanwhile === 0')
  await page.until(`${isBack(0)} && ${isBack(1)}`)
  passTime()
  await page.until(`${speaking} === 1`)
  await page.read('everybodyLeaves()')
})

test('[VOI-05] leaving the channel ends its call and stops the microphone; joining twice is one call', async () => {
  await page.read(`join('@relay', 0.3)`)
  assert.equal(
    await page.read(`players[0].channel.voice.join().then((call) => call === players[0].call)`),
    true,
  )
  assert.equal(await page.read('players[0].track.readyState'), 'live')
  await page.read('players[0].channel.leave()')
  assert.equal(await page.read('players[0].track.readyState'), 'ended')
  assert.deepEqual(await page.read('players[0].events.at(-1)'), ['closed', 'left'])
  await page.read(`players[0].svc.channels.join('@relay').then((channel) => channel.voice.join())`)
  assert.equal(await page.read('tracks.at(-1).readyState'), 'live')
  await page.read('players[0].svc.close(); players.length = 0; everybodyLeaves()')
})
