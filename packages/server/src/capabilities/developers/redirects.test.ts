import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { isReturnAddress } from './redirects.ts'

const BASE_URL = 'https://svc.example.com'

const ALLOWED = [
  'https://svc.example.com',
  'https://svc.example.com/',
  'https://svc.example.com/dashboard/signed-in?from=google&x=%20',
  'https://svc.example.com/a.b/..c/.well-known/x;y',
  'http://localhost',
  'http://localhost:5173/callback',
  'https://localhost:8443/callback',
  'http://127.0.0.1:49152/callback',
  'http://[::1]:49152/callback?a=b',
]

const REFUSED = [
  // other hosts, and hosts that only look like ours
  'https://evil.example',
  'https://svc.example.com.evil.example/',
  'https://svc.example.comevil.example/',
  'https://evil.example/svc.example.com',
  'https://evil.example/?https://svc.example.com',
  'https://sub.svc.example.com/',
  'https://svc.example.com./',
  'https://svc.exаmple.com/',
  'http://localhost.evil.example/',
  'http://app.localhost/',
  'http://127.0.0.1.evil.example/',
  'http://127.0.0.1.nip.io/',
  'http://127.0.0.2/',
  'http://0.0.0.0/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  // another scheme or port than ours
  'http://svc.example.com/',
  'https://svc.example.com:444/',
  'javascript:alert(1)//https://svc.example.com',
  'data:text/html,https://svc.example.com',
  'ftp://localhost/',
  'file://localhost/etc/passwd',
  'myapp://localhost/callback',
  'blob:https://svc.example.com/1',
  'view-source:https://svc.example.com/',
  // userinfo
  'https://svc.example.com@evil.example/',
  'https://evil.example@svc.example.com/',
  'https://:x@svc.example.com/',
  'http://user:password@localhost/',
  'https://svc.example.com\\@evil.example/',
  'https://svc.example.com%40evil.example/',
  'https://@svc.example.com/',
  // backslashes, control characters, spaces
  'https:\\\\svc.example.com\\',
  'https://svc.example.com\\evil',
  'https://svc.example.com/a\\..\\b',
  'https:/svc.example.com/',
  'https:svc.example.com/',
  'https:///svc.example.com/',
  '//svc.example.com/',
  '/dashboard',
  ' https://svc.example.com/',
  'https://svc.example.com/ ',
  'https://svc.example.com/\t',
  'https://svc.exa\nmple.com/',
  'https://svc.example.com/\u0000',
  'https://svc.example.com/\u007f',
  'https://svc.example.com/a b',
  'https://svc.example.com/\r\nSet-Cookie: a=b',
  // dot segments and encoded separators
  'https://svc.example.com/a/../b',
  'https://svc.example.com/./b',
  'https://svc.example.com/%2e%2e/b',
  'https://svc.example.com/%2E/b',
  'https://svc.example.com/a%2e',
  'https://svc.example.com/a%2fb',
  'https://svc.example.com/a%2Fb',
  'https://svc.example.com/a%5cb',
  'https://svc.example.com/..;/b',
  'https://svc.example.com/a/.;x=1/b',
  // a fragment: the service adds its own
  'https://svc.example.com/#',
  'https://svc.example.com/#svc_code=forged',
  'http://localhost:5173/callback#x',
  // odd spellings of an allowed host
  'HTTPS://svc.example.com/',
  'https://SVC.example.com/',
  'https://svc.example.com:443/',
  'http://LOCALHOST/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://ｌｏｃａｌｈｏｓｔ/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://localhost:/',
  'http://localhost:99999/',
  // no address at all
  '',
  'https://',
  'https://svc.example.com*',
  'https://*',
]

describe('[DEV-05] redirectUrl of a developer: on the origin of the service, or on localhost', () => {
  for (const text of ALLOWED)
    test(`allowed: ${text}`, () => assert.equal(isReturnAddress(text, BASE_URL), true))
  for (const text of REFUSED) {
    test(`rejected: ${JSON.stringify(text)}`, () => assert.equal(isReturnAddress(text, BASE_URL), false))
  }
})
