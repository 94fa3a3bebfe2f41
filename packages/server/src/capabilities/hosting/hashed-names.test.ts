import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import { namesWithHash } from './hashed-names.ts'

const HASHED = [
  // Vite, Rollup, Astro
  'assets/index-BxY3_a1Q.js',
  'assets/index-n_ryQ3BS.css',
  'assets/index-BxY3_a1Q.js.map',
  'assets/inter-latin-400-C38fXH4l.woff2',
  'assets/index-legacy-D7_Qm2kV.js',
  'assets/index-D-_a3xYQ.js',
  'assets/logo-K1-2xY_Z.svg',
  '_astro/page.BT9s0Q1a.css',
  'index-BxY3_a1Q.mjs',
  // webpack, Parcel, Next.js, Gatsby
  'main.7f3c9a12.js',
  'static/js/main.7f3c9a12.chunk.js',
  'static/css/2.0a1b2c3d.chunk.css',
  'vendors~main.3f9a2c41d0.js',
  'runtime.3f9a2c41d05566778899.js',
  'main.7f3c9a12.js.map',
  'main.7f3c9a12.js.LICENSE.txt',
  'index.8bc10af3.css',
  'logo.5d5d9eef.svg',
  'app-0a1b2c3d4e5f60718293.js',
  '_next/static/chunks/main-0123456789abcdef.js',
  `x.${'a1'.repeat(32)}.png`,
  'app.3f9a2c41.js',
  // esbuild, Angular
  'chunk-ABCD1234.css',
  'chunk-OSRYFIDG.js',
  'chunk-4TKQ2ZPN.js.map',
  'main-N5F4DHSX.js',
  'polyfills-RX4V3J3S.js',
  'styles-5INURTSO.css',
]

const PLAIN = [
  'index.html',
  'app.js',
  'hero-portrait.png',
  'hero-PORTRAIT.png',
  'background-landscape.jpg',
  'jquery-3.7.1.min.js',
  'bootstrap.bundle.min.js',
  'react.production.min.js',
  'lodash.template.js',
  'three.module.js',
  // compound words
  'ui-MainMenu.png',
  'ui-GameOver.js',
  'sprite-PlayerUI.png',
  'sounds/jump-Level1Up.mp3',
  'map-Run2Win1.json',
  'world-Map-1aBc.png',
  'app.Settings.js',
  'app-SETTINGS.js',
  'shop-B2B_Sale.png',
  'iphone-iPhone14.png',
  'logo-RGB8bitA.png',
  'cover-3DModelA.glb',
  'sound-48kHz16b.wav',
  'movie-4Kx60fps.mp4',
  // dates, versions, serial numbers, sizes
  'report-20261115.pdf',
  'report-2026-11-15.pdf',
  'report-FY2024Q3.pdf',
  'report-FY2425Q3.pdf',
  'holiday-DSC01234.jpg',
  'scan-IMG24567.png',
  'scan-IMG24567.js',
  'chunk-20261115.js',
  'chunk-vendors.js',
  'chunk-libs2024.js',
  'icon-1024x1024.png',
  'driver-iD4-0009.json',
  'player-c579bf8f-6820-47a5-b2da-a11267eb8435.png',
  'app-v1.20.300.js',
  // hexadecimal, but a word, too short, too long, in capitals, or in another position
  'deadbeef.js',
  'x-deadbeef.js',
  'app.3f9a2c4.js',
  'x.3F9A2C41.js',
  `x.${'a1'.repeat(33)}.png`,
  '3f9a2c41',
  'x.3f9a2c41',
  '3f9a2c41.js',
  '.3f9a2c41/app.js',
  '3f9a2c41/app.js',
  'x.3f9a2c41/app.js',
  // a hash of another length, or nothing but a hash
  'index-BxY3_a1.js',
  'index-BxY3_a1Qx.js',
  'indexBxY3_a1Q.js',
  'BxY3_a1Q.js',
  '-BxY3_a1Q.js',
  'index-BxY3_a1Q',
  // names that count only next to others
  'index-DqLHHUqZ.js',
  'index-bxy3aaaq.js',
]

test('[HST-08] a hash is found in names that bundlers generate', () => {
  for (const path of HASHED) assert.ok(namesWithHash([path]).has(path), path)
})

test('[HST-08] words, dates, versions and serial numbers are not recognized as a hash', () => {
  for (const path of PLAIN) assert.ok(!namesWithHash([path]).has(path), path)
})

test('a possible hash counts if its folder contains a certain one; words and other folders do not count', () => {
  const sure = 'assets/index-BxY3_a1Q.js'
  const possible = ['assets/vendor-DqLHHUqZ.js', 'assets/menu-DKbYTabX.css']
  const others = [
    'vendor-DqLHHUqZ.js',
    'assets/deep/vendor-DqLHHUqZ.js',
    'assets/hero-portrait.png',
    'assets/ui-MainMenu.png',
    'assets/sprite-PlayerUI.png',
    'assets/jump-Level1Up.mp3',
    'assets/hero-PORTRAIT.png',
    'assets/report-20261115.pdf',
  ]
  assert.deepEqual([...namesWithHash([...others, ...possible, sure])], [...possible, sure])
})

test('most hashes in a Vite build with 30 files are found', () => {
  const build = Array.from({ length: 30 }, (_, i) => {
    const hash = createHash('sha256').update(`file ${i}`).digest('base64url').slice(0, 8)
    return `assets/part${i}-${hash}.js`
  })
  const found = namesWithHash(build).size
  assert.ok(found >= 20, `${found} of 30`)
})
