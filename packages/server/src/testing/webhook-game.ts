import assert from 'node:assert/strict'

import Stripe from 'stripe'

import type { Service } from './service.ts'
import { newStatsPlayer } from './stats-player.ts'

export const GAME = {
  features: { stats: true, statsVerification: true },
  stats: [{ key: 'games', maxPerSubmit: 100 }, { key: 'best', aggregation: 'max' }, { key: 'level' }],
}

export type Webhook = { url: string; timeoutMs?: number; onFailure?: 'accept' | 'reject' }

export const withWebhook = (webhook: Webhook, rules: object[] = []) => ({
  ...GAME,
  integrity: { stats: { rules, webhook, maxSubmitsPerMinute: 600 } },
})

/** A game whose reports are sent to a developer's server, with the longest timeout. */
export async function newWebhookGame(service: Service, webhook: Webhook, rules: object[] = []) {
  const project = await service.newProject()
  const { development } = project
  const push = (document: object) => development.server('PUT', '/v1/config', document)
  assert.equal((await push(withWebhook({ timeoutMs: 5_000, ...webhook }, rules))).status, 200)
  const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
  const deliveries = async (query = '') =>
    (await development.server('GET', `/v1/admin/integrity/webhook-deliveries${query}`)).body.deliveries
  const player = await newStatsPlayer(development)
  return { project, development, push, environmentId, deliveries, player }
}

/** Checked with a public library for the same kind of header, so with independent code. */
export function assertSigned(header: string, rawBody: string, secret: string, nowMs: number) {
  const { signature } = new Stripe('sk_test_unused').webhooks
  assert.ok(signature)
  assert.ok(signature.verifyHeader(rawBody, header, secret, 300, undefined, nowMs))
  assert.throws(() => signature.verifyHeader(`${rawBody} `, header, secret, 300, undefined, nowMs))
}
