import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { comesTrue } from '../src/testing/in-time.ts'
import { connect } from '../src/testing/sockets.ts'
import { startVoiceBots, toneFrames } from '../src/testing/voice-bots.ts'
import { callAsBot } from '../src/testing/voice.ts'
import { newGameServer } from './realtime/game-server.ts'
import { callerOf, startServer } from './server-process.ts'

const RELAY = '@canary-relay'
const MESH = '@canary-mesh'
/** A part of a packet of the tone that nothing else contains. */
const SOUND_BYTES = 24

test('[VOI-01] nothing of a call is recorded: no sound and no session description in files, logs, audit log or export', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-voice-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const server = await startServer({ SVC_DATA_DIR: folder, LOG_LEVEL: 'trace', SVC_RATE_LIMITS: 'off' })
  t.after(() => server.signal('SIGKILL'))
  const bots = startVoiceBots()
  t.after(() => bots.stop())
  const game = await newGameServer(server, { features: { realtimeChannels: true, voice: true } })
  const call = callerOf(server)
  for (const [name, maxMembers] of [
    [RELAY, 20],
    [MESH, 8],
  ] as const)
    await call('PUT', `/v1/realtime/channels/${name}`, {
      key: game.secretKey,
      body: { voice: true, maxMembers },
    })
  const newCaller = async () => {
    const client = await connect(server, game, await game.newPlayer())
    for (const channel of [RELAY, MESH]) await client.request({ t: 'channelJoin', channel })
    return client
  }

  const [ada, eve] = [await newCaller(), await newCaller()]
  const [speaker, listener] = [await callAsBot(bots, ada, RELAY), await callAsBot(bots, eve, RELAY)]
  await speaker.talk()
  await comesTrue('sound is forwarded', async () => (await listener.heard()) > 50)
  const offer = await bots.offer()
  for (const client of [ada, eve]) await client.request({ t: 'voiceJoin', channel: MESH })
  const signal = { t: 'voiceSignal', channel: MESH, to: eve.id, kind: 'offer', data: { sdp: offer } }
  await ada.request(signal)
  // A rejected description is not logged either.
  await ada.refusal({ t: 'voicePublish', channel: RELAY, sdp: `${offer}m=video 9 canary\r\n` })
  const exported = await Promise.all(
    [`/v1/admin/players/${ada.id}/export`, `/v1/admin/players/${eve.id}/export`, '/v1/admin/realtime'].map(
      async (path) => JSON.stringify((await call('GET', path, { key: game.secretKey })).body),
    ),
  )
  const sent = ada.received.map((event) => JSON.stringify(event)).join('\n')
  server.signal('SIGTERM')
  const { output, errors } = await server.ended

  const descriptions = [offer, ...(sent.match(/a=ice-ufrag:[^\\]+/g) ?? [])]
  const secrets = descriptions.flatMap((sdp) => sdp.match(/a=(?:ice-ufrag|ice-pwd|fingerprint):\S+/g) ?? [])
  assert.ok(secrets.length >= 4)
  const sounds = toneFrames().map((frame) => frame.subarray(0, SOUND_BYTES))
  assert.ok(sounds.every((sound) => sound.length === SOUND_BYTES))
  const isRecordedIn = (bytes: Buffer) =>
    [...secrets, 'a=candidate', 'a=rtpmap', ...sounds].find((canary) => bytes.includes(canary))
  assert.equal(isRecordedIn(Buffer.from(sent)) === undefined, false, 'the search finds what is there')

  const texts = { output, errors, export: exported.join('\n') }
  for (const [name, text] of Object.entries(texts))
    assert.equal(isRecordedIn(Buffer.from(text)), undefined, name)
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  assert.ok(files.length > 0)
  for (const file of files)
    if (file.isFile()) {
      const bytes = await readFile(join(file.parentPath, file.name))
      assert.equal(isRecordedIn(bytes), undefined, file.name)
    }
})
