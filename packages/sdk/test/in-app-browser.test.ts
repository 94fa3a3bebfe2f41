import assert from 'node:assert/strict'
import { test } from 'node:test'

import { inAppBrowserOf, leavingUrl } from '../src/share/in-app-browser.ts'

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/125.0.0.0 Mobile Safari/537.36'

const IN_APPS = {
  x: [`${IPHONE} Mobile/15E148 Twitter for iPhone/10.44`, `${ANDROID} TwitterAndroid`],
  instagram: [
    `${IPHONE} Mobile/15E148 Instagram 334.0.4.32.98 (iPhone15,2; iOS 17_5; en_US; en; scale=3.00; 1179x2556; 606)`,
    `${ANDROID} Instagram 334.0.0.42.95 Android (34/14; 420dpi; 1080x2205; Google/google; Pixel 8)`,
  ],
  facebook: [
    `${IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/466.0.0.33.106;FBBV/600000000;FBDV/iPhone15,2]`,
    `${ANDROID} [FB_IAB/FB4A;FBAV/466.0.0.33.106;]`,
  ],
  line: [`${IPHONE} Mobile/15E148 Safari Line/14.8.0`, `${ANDROID} Line/14.8.0/IAB`],
  tiktok: [
    `${IPHONE} Mobile/15E148 musical_ly_34.9.0 JsSdk/2.0 NetType/WIFI Channel/App Store BytedanceWebview/d8a21c6`,
    `${ANDROID} trill_340903 JsSdk/1.0 NetType/WIFI BytedanceWebview/d8a21c6`,
  ],
}
const BROWSERS = [
  `${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1`,
  `${IPHONE} CriOS/125.0.6422.80 Mobile/15E148 Safari/604.1`,
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0',
  'Mozilla/5.0 (Windows NT 10.0) Inline/Deadline Trillian online/3',
  '',
]

test('the browsers of X, Instagram, Facebook, LINE and TikTok are recognised on iPhone and Android', () => {
  for (const [app, agents] of Object.entries(IN_APPS)) {
    for (const agent of agents) assert.equal(inAppBrowserOf(agent), app, agent)
  }
})

test('other browsers are not taken for the browser of an app', () => {
  for (const agent of BROWSERS) assert.equal(inAppBrowserOf(agent), undefined, agent)
})

test('an address that leaves the app keeps query and fragment', () => {
  const url = 'https://duel.example.com/play?ks=shr_1#svc_transfer=abc'
  assert.equal(leavingUrl(url, IN_APPS.instagram[0] ?? ''), `x-safari-${url}`)
  assert.equal(
    leavingUrl(url, IN_APPS.facebook[1] ?? ''),
    'intent://duel.example.com/play?ks=shr_1#svc_transfer=abc#Intent;scheme=https;action=android.intent.action.VIEW;end',
  )
  for (const agent of IN_APPS.line)
    assert.equal(
      leavingUrl(url, agent),
      'https://duel.example.com/play?ks=shr_1&openExternalBrowser=1#svc_transfer=abc',
    )
  assert.equal(leavingUrl(url, BROWSERS[3] ?? ''), url)
})
