import assert from 'node:assert/strict'
import { test } from 'node:test'

import { transformSync } from 'esbuild'

import {
  gzipBytes,
  SDK_FILES,
  SDK_GZIP_BYTES_MAX,
  SDK_PACKAGE_FILES,
  sdkFiles,
} from '../../../scripts/build-sdk.ts'
import type * as RoomModule from '../src/room/room.ts'
import type * as RoomTestModule from '../src/room/test.ts'

const built = new Map(sdkFiles())
const textOf = (name: keyof typeof SDK_FILES) => built.get(SDK_FILES[name].file) ?? ''

test('sdk.js, which every page loads, is under 16 KB gzipped', (t) => {
  const bytes = gzipBytes(textOf('sdk.js'))
  for (const [name, { file }] of Object.entries(SDK_FILES))
    t.diagnostic(`${name} ${gzipBytes(built.get(file) ?? '')} bytes gzipped`)
  assert.ok(
    bytes > 1_000 && bytes < SDK_GZIP_BYTES_MAX,
    `sdk.js has ${bytes} bytes gzipped, the maximum is ${SDK_GZIP_BYTES_MAX}: load what few pages need later, as share-tools.ts`,
  )
})

test('a built file imports nothing, except that sdk.js and the channels load the others on demand', () => {
  for (const [path, text] of built) {
    assert.doesNotMatch(text, /\bimport\s*["'{*]|\bfrom\s*["']/, path)
    assert.doesNotMatch(text, /TypeBox|typebox/i, path)
  }
  const loadedBy = (name: keyof typeof SDK_FILES) =>
    [...new Set(textOf(name).match(/import\([^)]*\)/g))].toSorted()
  assert.deepEqual(loadedBy('sdk-channels.js'), ['import("./sdk-voice.js")'])
  assert.deepEqual(loadedBy('sdk.js'), [
    'import("./sdk-account.js")',
    'import("./sdk-channels.js")',
    'import("./sdk-embedded.js")',
    'import("./sdk-leaderboards.js")',
    'import("./sdk-lease.js")',
    'import("./sdk-p2p.js")',
    'import("./sdk-rooms.js")',
    'import("./sdk-share.js")',
    'import("./sdk-stats.js")',
  ])
  assert.equal(textOf('sdk.js').includes('RTCPeerConnection'), false)
})

test('each built file exports its public functions', async () => {
  const load = (text: string) => import(`data:text/javascript,${encodeURIComponent(text)}`)
  assert.deepEqual(Object.keys(await load(textOf('sdk.js'))), ['SvcError', 'connect', 'isSvcError'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-account.js'))), [
    'createAccount',
    'finishSignIn',
    'startSignIn',
  ])
  assert.deepEqual(Object.keys(await load(textOf('sdk-p2p.js'))), ['openMesh'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-voice.js'))), ['Call', 'joinCall'])
  assert.ok(gzipBytes(textOf('sdk-voice.js')) < 8 * 1024)
  assert.deepEqual(Object.keys(await load(textOf('sdk-share.js'))), ['createShareTools'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-leaderboards.js'))), ['createLeaderboardTools'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-stats.js'))), ['deliverReports', 'warnOfMistakes'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-channels.js'))), ['createChannels'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-rooms.js'))), ['listMine', 'openCodeRoom'])
  assert.ok(gzipBytes(textOf('sdk-rooms.js')) <= 3 * 1024)
  assert.deepEqual(Object.keys(await load(textOf('sdk-embedded.js'))), ['openEmbeddedStorage'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-lease.js'))), ['withLease'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-ui.js'))), ['openSignIn'])
  const loadPackageFile = (name: keyof typeof SDK_PACKAGE_FILES) =>
    load(built.get(SDK_PACKAGE_FILES[name].file) ?? '')
  assert.deepEqual(Object.keys(await loadPackageFile('server.js')), [
    'SvcError',
    'createServerClient',
    'isSvcError',
    'verifyWebhook',
  ])
  assert.deepEqual(Object.keys(await loadPackageFile('developer.js')), [
    'SvcError',
    'addressOf',
    'createDeveloperClient',
    'createSecretKeyClient',
    'isSvcError',
  ])
  assert.deepEqual(Object.keys(await loadPackageFile('room.js')), ['Refusal', 'Room'])
  assert.deepEqual(Object.keys(await loadPackageFile('room-test.js')), [
    'TestPlayer',
    'TestRoom',
    'createTestRoom',
    'replay',
  ])
})

test('room.js, which is part of the functions of a developer, is under 2 KB gzipped', () => {
  const bytes = gzipBytes(built.get(SDK_PACKAGE_FILES['room.js'].file) ?? '')
  assert.ok(bytes < 2_048, `room.js has ${bytes} bytes gzipped: put what the service can do into the runtime`)
})

test('a class that extends the built Room runs in the built test room', async () => {
  const load = (name: keyof typeof SDK_PACKAGE_FILES) =>
    import(`data:text/javascript,${encodeURIComponent(built.get(SDK_PACKAGE_FILES[name].file) ?? '')}`)
  const { Room, Refusal } = (await load('room.js')) as typeof RoomModule
  const { createTestRoom } = (await load('room-test.js')) as typeof RoomTestModule
  class Counter extends Room<{ count: number }> {
    override state = { count: 0 }
    override messages = {
      add: (_: unknown, by: number) => {
        if (by < 0) throw new Refusal('only upwards')
        return (this.state.count += by)
      },
    }
  }
  const room = await createTestRoom(Counter)
  const ada = await room.join('ada')
  assert.equal(await ada.call('add', 2), 2)
  await assert.rejects(ada.call('add', -1), { message: 'only upwards' })
  assert.deepEqual(room.state, { count: 2 })
})

test('sdk.js contains nothing of the developer client', () => {
  for (const text of ['/v1/projects', '/v1/developers', 'opaqueredirect'])
    assert.ok(!textOf('sdk.js').includes(text), text)
})

/** What Safari 16.0, Chrome 103 or Firefox 100 do not have yet. A method with a common name is looked for with its bracket. */
const TOO_NEW = [
  'withResolvers',
  'Promise.try',
  '.toSorted(',
  '.toReversed(',
  '.toSpliced(',
  'groupBy',
  'fromAsync',
  'AbortSignal.any',
  'URL.canParse',
  'URL.parse(',
  'Iterator.',
  'isSubsetOf',
  'symmetricDifference',
  '.isDisjointFrom',
  'isWellFormed',
  'toWellFormed',
  'RegExp.escape',
  'toBase64',
  'fromBase64',
  'Intl.DurationFormat',
  'Intl.Segmenter',
  'DecompressionStream',
  'CompressionStream',
  'showPopover',
  'checkVisibility',
  'startViewTransition',
  'setHTMLUnsafe',
  'transferToFixedLength',
]

/** Files that run in a page. */
const forPages = Object.values(SDK_FILES).map(({ file }) => [file, built.get(file) ?? ''] as const)

test('files for pages have only syntax of Safari 16, Chrome 103 and Firefox 100', () => {
  const target = ['safari16', 'chrome103', 'firefox100']
  const same = { minify: true, charset: 'utf8', legalComments: 'none', format: 'esm' } as const
  for (const [file, text] of forPages)
    assert.equal(
      transformSync(text, { ...same, target }).code,
      transformSync(text, { ...same, target: 'esnext' }).code,
      file,
    )
})

test('files for pages use nothing that Safari 16, Chrome 103 or Firefox 100 do not have', () => {
  for (const [file, text] of forPages)
    assert.deepEqual(
      TOO_NEW.filter((name) => text.includes(name)),
      [],
      file,
    )
})
