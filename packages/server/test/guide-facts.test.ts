import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'
import type { AgeProfile } from '@svc/contract/moderation'

import { capabilitiesFor } from '../src/capabilities/moderation/age-bands.ts'

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]
const pageOf = (name: string) =>
  readFileSync(join(import.meta.dirname, `../../../docs/guide/${name}.md`), 'utf8')

/** The cells of the table row whose first cell is `label`. */
function rowOf(page: string, label: string): string[] {
  const line = page.split('\n').find((one) => one.startsWith(`| ${label} |`))
  assert.ok(line, label)
  return line
    .slice(1, -1)
    .split('|')
    .slice(1)
    .map((cell) => cell.trim())
}

test('[OWN-01] the guide says how long data of players is kept', () => {
  const page = pageOf('privacy')
  const facts: [label: string, text: string][] = [
    ['Rejected stats', `the newest ${LIMITS.statSignalsMax}`],
    ['Webhook deliveries', `the newest ${LIMITS.webhookDeliveriesMax} per environment`],
    ['Leaderboard winners', `the top ${LIMITS.leaderboardWinnersMax} `],
    [
      'Leaderboard winners',
      `${LIMITS.leaderboardDaysKept} days, ${LIMITS.leaderboardWeeksKept} weeks or ${LIMITS.leaderboardMonthsKept} months`,
    ],
    ['Share links', `${LIMITS.shareLinkUnvisitedDaysMax} days after that day`],
    ['Links in emails', `${LIMITS.verificationLinkTtlMs / HOUR_MS} hours (confirm)`],
    ['Links in emails', `${LIMITS.resetLinkTtlMs / MINUTE_MS} minutes (new password)`],
    ['Repeatable requests', `${LIMITS.idempotencyResponseTtlMs / DAY_MS} day`],
    ['Request log', `the last ${LIMITS.requestsKeptMax.toLocaleString('en')} requests per node`],
  ]
  for (const [label, text] of facts) assert.ok(rowOf(page, label).join(' | ').includes(text), text)
})

test('[AGE-09] the guide says what each age group is not allowed', () => {
  const page = pageOf('children')
  const rows: [label: string, capability: keyof AgeProfile['capabilities']][] = [
    ['direct peer-to-peer connections', 'directPeer'],
    ['public X profile', 'publicXProfile'],
    ["operator's news by email", 'newsOptIn'],
    ['rooms, channels, chat, voice, saves, stats', 'voice'],
  ]
  assert.deepEqual(rows.map(([, name]) => name).toSorted(), Object.keys(capabilitiesFor('adult')).toSorted())
  for (const [label, name] of rows)
    for (const [at, band] of (['child', 'teen', 'adult'] as const).entries())
      assert.equal(
        rowOf(page, label)[at]?.startsWith('yes'),
        capabilitiesFor(band)[name],
        `${label}, ${band}`,
      )
})

test('[SES-02] the guide says how long tokens are valid', () => {
  const page = pageOf('security')
  const facts: [label: string, text: string][] = [
    ['developer session', `${LIMITS.developerSessionTtlMs / DAY_MS} days`],
    ['sign-in code after Google and others', `${LIMITS.exchangeCodeTtlMs / MINUTE_MS} minute`],
    ['link in a confirmation email', `${LIMITS.verificationLinkTtlMs / HOUR_MS} hours`],
    ['link in a password email', `${LIMITS.resetLinkTtlMs / MINUTE_MS} minutes`],
    ['TURN password', `${LIMITS.turnCredentialTtlMs / HOUR_MS} hour`],
  ]
  for (const [label, text] of facts) assert.ok(rowOf(page, label)[0]?.startsWith(text), `${label}: ${text}`)
})
