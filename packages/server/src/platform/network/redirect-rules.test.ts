import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { isRedirectAllowed } from './redirect-rules.ts'

const rules = {
  redirectUrls: [
    'https://app.example.com/signed-in',
    'https://app.example.com/mail?from=svc',
    'https://play.example.com*',
    'https://docs.example.com/game/*',
    'https://docs.example.com/beta*',
    'https://Shop.Example.com:8443/Done',
    'https://münchen.example/*',
    'https://[2001:db8::1]/*',
    'mygame://signed-in',
    'mygame://pages/*',
    'com.example.game:/signed-in',
  ],
  environment: { name: 'production' },
  hostedOrigin: 'https://star-duel.apps.example',
} as const
const development = { ...rules, environment: { name: 'development' } } as const

const ALLOWED = [
  // exactly as listed, with any query
  'https://app.example.com/signed-in',
  'https://app.example.com/signed-in?',
  'https://app.example.com/signed-in?next=%2Fhome%2e&x=*;../@evil.example/:',
  'https://app.example.com/mail?from=svc',
  'https://app.example.com/mail?from=svc&more=1',
  'https://shop.example.com:8443/Done?x',
  // below a trailing *
  'https://play.example.com',
  'https://play.example.com/',
  'https://play.example.com/any/where.html;v=1?x=1',
  'https://play.example.com/..a/.b/c..',
  'https://play.example.com//two/slashes',
  'https://play.example.com/100%25/%C3%A4%20b',
  'https://play.example.com/@user/a:b',
  'https://docs.example.com/game/',
  'https://docs.example.com/game/level/2',
  'https://docs.example.com/beta',
  'https://docs.example.com/beta?x',
  'https://docs.example.com/beta/two',
  'https://xn--mnchen-3ya.example/done',
  'https://[2001:db8::1]/done',
  // an app's own scheme
  'mygame://signed-in',
  'mygame://signed-in?x=1',
  'mygame://pages/',
  'mygame://pages/one',
  'com.example.game:/signed-in',
  // the service-hosted app
  'https://star-duel.apps.example',
  'https://star-duel.apps.example/any/page?x=1',
]

const REFUSED = [
  // another host
  'https://evil.example/signed-in',
  'https://evil.example/?https://app.example.com/signed-in',
  'https://evil.example/https://app.example.com/signed-in',
  'https://app.example.com.evil.example/signed-in',
  'https://play.example.com.evil.example/',
  'https://play.example.comevil.example/',
  'https://play.example.com-evil.example/',
  'https://evil-play.example.com/',
  'https://evilplay.example.com/',
  'https://sub.play.example.com/',
  'https://example.com/',
  'https://play.example.com./',
  'https://play.example.com.%00.evil.example/',
  'https://play.example.com%2eevil.example/',
  'https://play.example.com%23.evil.example/',
  'https://play.example.com%2F.evil.example/',
  'https://play.example.com。evil.example/',
  'https://play.example.com／.evil.example/',
  'https://play.example.com℀evil.example/',
  'https://plаy.example.com/',
  'https://xn--ply-7cd.example.com/',
  'https://munchen.example/done',
  'https://[2001:db8::2]/done',
  'https://[::ffff:127.0.0.1]/',
  'https://star-duel--dev.apps.example/',
  'https://other.apps.example/',
  'https://apps.example/',
  'https://x.star-duel.apps.example/',
  'https://star-duel.apps.example.evil.example/',
  // another scheme or port
  'http://app.example.com/signed-in',
  'http://play.example.com/',
  'https://play.example.com:444/',
  'https://play.example.com:80/',
  'https://play.example.com:8443/',
  'https://shop.example.com/Done',
  'https://shop.example.com:8444/Done',
  'http://star-duel.apps.example/',
  'https://star-duel.apps.example:8443/',
  'ws://play.example.com/',
  'wss://play.example.com/',
  'ftp://play.example.com/',
  'file://play.example.com/',
  'file:///etc/passwd',
  'blob:https://play.example.com/5e1f',
  'blob:https://star-duel.apps.example/5e1f',
  'filesystem:https://play.example.com/x',
  'view-source:https://play.example.com/',
  'javascript:alert(1)',
  'javascript://play.example.com/%0aalert(1)',
  'JavaScript:alert(1)//https://play.example.com/',
  'data:text/html,https://play.example.com/',
  'vbscript:x',
  'about:blank',
  'intent://play.example.com/#Intent;scheme=https;end',
  'othergame://signed-in',
  'mygames://signed-in',
  'mygame://signed-inx',
  'mygame://signed-in/',
  'mygame://signed-in:80',
  'mygame://SIGNED-IN',
  'mygame://pages',
  'mygame:signed-in',
  'mygame:/signed-in',
  'mygame:///signed-in',
  'mygame://x@signed-in',
  'mygame://pages/a\\b',
  'mygame://pages/a b',
  'mygame://pages/../signed-in2',
  'mygame://pages/%2e%2e/signed-in2',
  'com.example.game:signed-in',
  'com.example.game:/signed-in2',
  // another path
  'https://app.example.com',
  'https://app.example.com/',
  'https://app.example.com/signed-in/',
  'https://app.example.com/signed-in2',
  'https://app.example.com/Signed-In',
  'https://app.example.com/signed-in;x',
  'https://app.example.com//signed-in',
  'https://app.example.com/x/signed-in',
  'https://app.example.com/mail',
  'https://app.example.com/mail?from=svcx',
  'https://app.example.com/mail?more=1&from=svc',
  'https://docs.example.com/',
  'https://docs.example.com/game',
  'https://docs.example.com/games/x',
  'https://docs.example.com/betamax',
  'https://docs.example.com/beta.html',
  'https://docs.example.com/?/game/',
  'https://docs.example.com/Game/x',
  // ways out of a prefix
  'https://docs.example.com/game/../admin',
  'https://docs.example.com/game/..',
  'https://docs.example.com/game/./x',
  'https://docs.example.com/game/%2e%2e/admin',
  'https://docs.example.com/game/%2E%2E/admin',
  'https://docs.example.com/game/.%2e/admin',
  'https://docs.example.com/game/%252e%252e/admin',
  'https://docs.example.com/game/%25252e/admin',
  'https://docs.example.com/game/..%2fadmin',
  'https://docs.example.com/game/..%252Fadmin',
  'https://docs.example.com/game/..%5cadmin',
  'https://docs.example.com/game/..\\admin',
  'https://docs.example.com/game\\..\\admin',
  'https://docs.example.com/game/..;/admin',
  'https://docs.example.com/game/..;x=1/admin',
  'https://docs.example.com/game/.;/x',
  'https://docs.example.com/game/%c0%ae%c0%ae/admin',
  'https://docs.example.com/game/..%c0%af',
  'https://docs.example.com/game/%00',
  'https://docs.example.com/game/%0d%0aLocation:x',
  'https://docs.example.com/game/%7f',
  // user name and password
  'https://play.example.com@evil.example/',
  'https://play.example.com:443@evil.example/',
  'https://user@play.example.com/',
  'https://user:password@play.example.com/',
  'https://:x@play.example.com/',
  'https://@play.example.com/',
  'https://evil.example\\@play.example.com/',
  'https://play.example.com\\@evil.example/',
  'https://evil.example#@play.example.com/',
  'https://play.example.com%40evil.example/',
  // backslashes, spaces, control characters
  'https:\\\\play.example.com\\',
  'https:/\\play.example.com/',
  'https://play.example.com\\x',
  'https://play.example.com/x?\\',
  '\thttps://play.example.com/',
  ' https://play.example.com/',
  'https://play.example.com/ ',
  'https://play.example.com/a b',
  'https://play.example.com/\u00a0',
  'https://play.example.com/\u2028',
  'https://play.example.com/\ufeff',
  'https://pl\tay.example.com/',
  'https://pl\nay.example.com/',
  'https://play.example.com/\r\nSet-Cookie: a=b',
  'https://play.example.com/?\nx',
  'https://play.example.com/\u0000',
  'https://play.example.com/\u0001',
  'https://play.example.com/\u007f',
  'https://play.example.com/\u0085',
  'https://play.example.com/\ud800',
  'https://play.example.com/\u202egpj.x',
  'java\nscript:alert(1)',
  // a fragment: the service adds its own
  'https://play.example.com/#',
  'https://play.example.com/#svc_token=forged&svc_type=reset',
  'https://app.example.com/signed-in#x',
  'mygame://signed-in#x',
  // not absolute, or not as a browser writes it
  '',
  '*',
  'https://',
  'https:///',
  'https://*',
  'https://play.example.com*',
  'https://?play.example.com',
  '//play.example.com/',
  '///play.example.com/',
  '/signed-in',
  'play.example.com',
  'play.example.com:443/',
  'https:play.example.com/',
  'https:/play.example.com/',
  'https:///play.example.com/',
  'https:////play.example.com/',
  'HTTPS://play.example.com/',
  'https://PLAY.example.com/',
  'https://play.example.com:443/',
  'https://play.example.com:/',
  'https://play.example.com:0443/',
  'https://play.example.com:99999/',
  'https://play.example.com:４４３/',
  'https://play.example.com?x=1',
  'https://play.example.com/ä',
  'https://münchen.example/done',
  'https://XN--MNCHEN-3YA.example/done',
  'https://[2001:DB8::1]/done',
  'https://[2001:db8:0::1]/done',
  'https://%70lay.example.com/',
  'https://ｐｌａｙ.example.com/',
  'https://play。example。com/',
  'https://play.example.com/"x"',
  'https://play.example.com/<x>',
  `https://play.example.com.${'a'.repeat(100_000)}/`,
  `https://evil.example/${'a/../'.repeat(100_000)}`,
  '/'.repeat(100_000),
  '%'.repeat(100_000),
]

/** GEN-31 */
const LOCAL = [
  'http://localhost',
  'http://localhost:5173/signed-in?x=1',
  'https://localhost:8443/any',
  'http://127.0.0.1:3000/',
  'http://[::1]:3000/',
  'http://my-game.localhost:8787/page',
  'https://a.b.localhost/',
]
const NOT_LOCAL = [
  'http://localhost.evil.example/',
  'http://xlocalhost/',
  'http://localhost./',
  'http://127.0.0.1.evil.example/',
  'http://127.0.0.1.nip.io/',
  'http://127.0.0.2/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://０.０.０.０/',
  'http://0.0.0.0/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::1%25lo]/',
  'http://LOCALHOST/',
  'http://ｌｏｃａｌｈｏｓｔ/',
  'http://localhost@evil.example/',
  'http://localhost#x',
  'http://localhost\\@evil.example/',
  'ftp://localhost/',
  'file://localhost/etc/passwd',
  'othergame://localhost/',
  'blob:http://localhost/x',
  'http://10.0.0.1/',
]

const named = (text: string) => JSON.stringify(text.length > 90 ? `${text.slice(0, 90)}…` : text)

describe('[AUT-20] [AUT-21] redirectUrl of a player', () => {
  for (const text of ALLOWED) {
    test(`allowed: ${named(text)}`, () => {
      assert.equal(isRedirectAllowed(text, rules), true)
      assert.equal(isRedirectAllowed(text, development), true)
    })
  }
  for (const text of REFUSED) {
    test(`rejected: ${named(text)}`, () => {
      assert.equal(isRedirectAllowed(text, rules), false)
      assert.equal(isRedirectAllowed(text, development), false)
    })
  }
  for (const text of LOCAL) {
    test(`[GEN-31] in development only: ${named(text)}`, () => {
      assert.equal(isRedirectAllowed(text, development), true)
      assert.equal(isRedirectAllowed(text, rules), false)
      assert.equal(isRedirectAllowed(text, { ...rules, redirectUrls: [`${new URL(text).origin}/*`] }), true)
    })
  }
  for (const text of NOT_LOCAL) {
    test(`[GEN-31] never: ${named(text)}`, () => {
      assert.equal(isRedirectAllowed(text, development), false)
      assert.equal(isRedirectAllowed(text, rules), false)
    })
  }

  test('with nothing listed, only the service-hosted app, and localhost in development', () => {
    const none = { ...rules, redirectUrls: [] }
    const allowed = (text: string) => isRedirectAllowed(text, none)
    assert.deepEqual(ALLOWED.filter(allowed), [
      'https://star-duel.apps.example',
      'https://star-duel.apps.example/any/page?x=1',
    ])
  })
})
