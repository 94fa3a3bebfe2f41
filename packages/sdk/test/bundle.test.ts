import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  gzipBytes,
  SDK_FILES,
  SDK_GZIP_BYTES_MAX,
  SDK_SERVER_FILE,
  sdkFiles,
} from '../../../scripts/build-sdk.ts'

const built = new Map(sdkFiles())
const textOf = (name: keyof typeof SDK_FILES) => built.get(SDK_FILES[name].file) ?? ''

test('what every page loads is under 15 KB gzipped', (t) => {
  const bytes = gzipBytes(textOf('sdk.js'))
  t.diagnostic(
    `sdk.js ${bytes} bytes gzipped, sdk-p2p.js ${gzipBytes(textOf('sdk-p2p.js'))}, sdk-ui.js ${gzipBytes(textOf('sdk-ui.js'))}`,
  )
  assert.ok(bytes > 1_000 && bytes < SDK_GZIP_BYTES_MAX, `${bytes} bytes`)
})

test('no file needs another, but for peer-to-peer, which is loaded from beside it', () => {
  for (const [path, text] of built) {
    assert.doesNotMatch(text, /\bimport\s*["'{*]|\bfrom\s*["']/, path)
    assert.doesNotMatch(text, /TypeBox|typebox/i, path)
  }
  assert.deepEqual(textOf('sdk.js').match(/import\([^)]*\)/g), ['import("./sdk-p2p.js")'])
  assert.equal(textOf('sdk.js').includes('RTCPeerConnection'), false)
})

test('a file is a module that a page imports: it exports what the quick start needs', async () => {
  const load = (text: string) => import(`data:text/javascript,${encodeURIComponent(text)}`)
  assert.deepEqual(Object.keys(await load(textOf('sdk.js'))), ['SvcError', 'connect', 'isSvcError'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-p2p.js'))), ['openMesh'])
  assert.deepEqual(Object.keys(await load(textOf('sdk-ui.js'))), ['openSignIn'])
  assert.deepEqual(Object.keys(await load(built.get(SDK_SERVER_FILE.file) ?? '')), [
    'SvcError',
    'createServerClient',
    'isSvcError',
    'verifyWebhook',
  ])
})
