import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import fc from 'fast-check'

import { newGuest } from '../../testing/guests.ts'
import { runs } from '../../testing/runs.ts'
import type { Answer, Service } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

type Step =
  | { act: 'ban'; seconds: number | null }
  | { act: 'unban' }
  | { act: 'wait'; seconds: number }
  | { act: 'appeal'; which: number }
  | { act: 'resolve'; which: number; accept: boolean }

type Ban = { note: string; expiresAt: number | null; endedAt: number | null; appeal?: string }

const seconds = fc.integer({ min: 1, max: 40 })
const which = fc.nat({ max: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.option(seconds).map((length): Step => ({ act: 'ban', seconds: length })),
  fc.constant<Step>({ act: 'unban' }),
  seconds.map((length): Step => ({ act: 'wait', seconds: length })),
  which.map((index): Step => ({ act: 'appeal', which: index })),
  fc.tuple(which, fc.boolean()).map(([index, accept]): Step => ({ act: 'resolve', which: index, accept })),
)
// At most 20 waits of 40 seconds, so that one access token is valid all the time.
const steps = fc.array(step, { minLength: 4, maxLength: 20 })

/** A second, very simple implementation of the specification: newest ban first, times in seconds. */
function createModel() {
  const bans: Ban[] = []
  let now = 0
  let count = 0
  const purgeExpired = () => {
    for (const ban of bans)
      if (ban.endedAt === null && ban.expiresAt !== null && ban.expiresAt <= now) ban.endedAt = ban.expiresAt
  }
  const current = () => bans.find(({ endedAt }) => endedAt === null)

  return {
    bans,
    current,
    take(step: Step): string {
      switch (step.act) {
        case 'wait':
          now += step.seconds
          purgeExpired()
          return ''
        case 'ban': {
          const terms = {
            note: `ban ${++count}`,
            expiresAt: step.seconds === null ? null : now + step.seconds,
          }
          const ban = current()
          if (ban) Object.assign(ban, terms)
          else bans.unshift({ ...terms, endedAt: null })
          return '200'
        }
        case 'unban': {
          const ban = current()
          if (ban) ban.endedAt = now
          if (ban?.appeal === 'open') ban.appeal = 'accepted'
          return '200'
        }
        case 'appeal': {
          const ban = bans[step.which]
          if (!ban) return 'sanction_not_found'
          if (ban.endedAt !== null) return 'ban_not_active'
          if (ban.appeal) return 'appeal_exists'
          ban.appeal = 'open'
          return '201'
        }
        case 'resolve': {
          const ban = bans[step.which]
          if (!ban?.appeal) return 'appeal_not_found'
          if (ban.appeal !== 'open') return 'appeal_already_resolved'
          ban.appeal = step.accept ? 'accepted' : 'rejected'
          if (step.accept && ban.endedAt === null) ban.endedAt = now
          return '200'
        }
      }
    },
  }
}

suite('bans and appeals compared with a simple model', {}, ({ service }) => {
  let side: Awaited<ReturnType<Service['newProject']>>['development']
  before(async () => {
    side = (await service.newProject()).development
  })

  test('[BAN-11] [BAN-12] [APL-06] random sequences of actions give the same results in the service and the model', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const model = createModel()
        const guest = await newGuest(side)
        const startMs = service.clock.now().getTime()
        const own = async () => (await guest.call('GET', '/v1/players/me/sanctions')).body.sanctions
        let count = 0

        const take = async (step: Step): Promise<Answer | undefined> => {
          const player = `/v1/admin/players/${guest.id}`
          switch (step.act) {
            case 'wait':
              service.clock.advance(step.seconds * 1_000)
              return undefined
            case 'ban':
              return side.server('POST', `${player}/ban`, {
                reason: `ban ${++count}`,
                ...(step.seconds !== null && { durationHours: step.seconds / 3_600 }),
              })
            case 'unban':
              return side.server('POST', `${player}/unban`, {})
            case 'appeal': {
              const id = (await own())[step.which]?.id ?? 'san_none'
              return guest.call('POST', `/v1/players/me/sanctions/${id}/appeal`, { message: 'x' })
            }
            case 'resolve': {
              const id = (await own())[step.which]?.appeal?.id ?? 'apl_none'
              return side.server('POST', `/v1/admin/appeals/${id}/resolve`, { accept: step.accept })
            }
          }
        }

        const second = (at: string | null) => at && (new Date(at).getTime() - startMs) / 1_000
        for (const next of taken) {
          const answer = await take(next)
          const received = answer ? (answer.body.error?.code ?? String(answer.status)) : ''
          assert.equal(received, model.take(next))
          assert.deepEqual(
            (await own()).map(
              (sanction: Record<string, string | null> & { appeal?: { status: string } }) => ({
                note: sanction['note'],
                active: sanction['active'],
                expiresAt: second(sanction['expiresAt'] ?? null),
                endedAt: second(sanction['endedAt'] ?? null),
                appeal: sanction.appeal?.status,
              }),
            ),
            model.bans.map(({ appeal, ...ban }) => ({ ...ban, active: ban.endedAt === null, appeal })),
          )
          const write = await guest.call('PATCH', '/v1/players/me', { displayName: 'Ada' })
          assert.equal(write.body.error?.details.note, model.current()?.note)
        }
      }),
      { numRuns: runs(12, 200) },
    )
  })
})
