import assert from 'node:assert/strict'
import { test } from 'node:test'

import { systemRandom } from '../../platform/random.ts'
import { isReserved, slugFrom } from './names.ts'

const reservedOf = (names: readonly string[], brand = 'svc') =>
  names.filter((name) => isReserved(name, brand))

test('[DEV-09] a name that looks like a staff word is reserved in every spelling', () => {
  const names = [
    // Punctuation, spaces, and invisible characters.
    'Support!',
    'Admin!',
    '¡Support!',
    '"Support"',
    '★ Official ★',
    'A.D.M.I.N',
    'a d m i n',
    'a-d-m-i-n',
    'The A D M I N Game',
    's\u200bvc',
    'ad\u00admin',
    '\u202eadmin',
    'Ad\u034fmin',
    'S_U_P_P_O_R_T',
    // Signs that may be letters or separators, and invisible letters.
    'Admin|',
    'svc|',
    '|svc|',
    '|Admin',
    'Admin!|',
    'Adm|n|',
    '@dmin$',
    'svc|Games',
    'Admin\u01c0',
    'svc\u01c3 Games',
    'Admin\u02bc',
    'Admin\u30fc',
    'Admin\ua78f',
    'Admin\u3164',
    '\u115fsvc\u1160',
    'ad\uffa0min',
    'svc\u2800',
    '\u2800Admin\ufffc',
    // Digits and signs in place of letters.
    '0fficial',
    '0ff1c1al',
    'Adm1n',
    'Adm!n',
    'adm|n',
    '4dmin',
    '@dmin',
    '5upport',
    '$upport',
    'mod3rator',
    // Other alphabets and other styles.
    'ѕuрроrt',
    'Modеrator',
    'аdmіn',
    'ΑDΜΙΝ',
    'АDМІΝ',

    'ＳＴＡＦＦ',
    'Ａdmin',
    '𝐚𝐝𝐦𝐢𝐧',
    '𝒮𝓊𝓅𝓅ℴ𝓇𝓉',
    'ⓢⓣⓐⓕⓕ',
    '🅰🅳🅼🅸🅽',
    '🇸🇻🇨',
    'sᴜᴘᴘᴏʀᴛ',
    'staﬀ',
    'ádmin',
    'åḍmïṅ',
    'adrnin',
    'suppоrт',
    'OFFICIAL',
    'offlcial',
  ]
  assert.deepEqual(reservedOf(names), names)
})

test('[DEV-09] every sign and every invisible character separates a staff word', () => {
  const isSeparator = /^[\p{P}\p{S}\p{Z}\p{M}\p{Cf}\p{Lm}\p{Default_Ignorable_Code_Point}]$/u
  const free: string[] = []
  for (let point = 0x20; point < 0x3_400; point++) {
    const sign = String.fromCodePoint(point)
    if (!isSeparator.test(sign)) continue
    for (const name of [`${sign}svc${sign}`, `My ad${sign}min`])
      if (!isReserved(name, 'svc')) free.push(`${point.toString(16)} ${name}`)
  }
  assert.deepEqual(free, [])
})

test('[DEV-09] the brand is reserved like a staff word, from either alphabet', () => {
  const names = ['Acme', 'acme!', 'Асме', 'The Acme Game', 'A.c.m.e']
  assert.deepEqual(reservedOf(names, 'Acme'), names)
  assert.deepEqual(reservedOf(['Acme', 'ACME 2'], 'Асме'), ['Acme', 'ACME 2'])
  assert.deepEqual(reservedOf(['Big Game', 'My BigGame', 'Game Big'], 'Big Game'), ['Big Game', 'My BigGame'])
  assert.deepEqual(reservedOf(['!', '★', 'x'], '★'), [])
})

test('[DEV-09] names that only contain the letters of such a word are free', () => {
  const names = [
    'Service Station',
    'Staffel',
    'Unofficially',
    'Supporters',
    'Administrator Tycoon',
    'Badminton',

    'Moderate Racing',
    'Port Supper',
    'ゲーム',
    'Поддержка',
    'Mind A',
    'Sad Minds',
    '100% Racing',
    '!',
    '2048',
  ]
  assert.deepEqual(reservedOf(names), [])
})

test('[DEV-11] a slug that is a host name of the service or looks like one gets a suffix', () => {
  const names = [
    'api',
    'API',
    'www',
    'auth',
    'cdn',
    'mail',
    'docs',
    'status',
    'dashboard',
    'login',
    'account',
    'billing',

    'Pay',
    'Log-in',
    'L0gin',
    'static',
    'assets',
    'blog',
    'help',
    'root',
    'app',
    'apps',
    'ftp',
    'smtp',
    'imap',
    'ns1',
    'ns2',
    'localhost',
  ]
  for (const name of names)
    assert.match(slugFrom(name, 'svc', systemRandom), /^[a-z0-9-]+-[a-z0-9]{6}$/, name)
  assert.match(slugFrom('Acme', 'Acme', systemRandom), /^acme-[a-z0-9]{6}$/)
  for (const name of ['test', 'Login Hero', 'Paying', 'Blogger'])
    assert.equal(slugFrom(name, 'svc', systemRandom), name.toLowerCase().replace(' ', '-'))
})
