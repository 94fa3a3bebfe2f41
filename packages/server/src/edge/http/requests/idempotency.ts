import type { FastifyRequest } from 'fastify'

import { ApiError } from '../../../platform/api-error.ts'
import { sha256 } from '../../../platform/crypto.ts'
import { idempotencyScope } from '../../../platform/security/idempotency-scope.ts'

export type Answer = { status: number; body: unknown }

export type IdempotentResponses = {
  begin(request: {
    scope: string
    key: string
    requestHash: string
  }): Promise<{ kind: 'new' } | ({ kind: 'answered' } & Answer)>
  finish(scope: string, key: string, status: number, body: unknown): Promise<void>
  abandon(scope: string, key: string): Promise<void>
}

const KEY = /^[A-Za-z0-9_.:-]{1,128}$/

/** The Idempotency-Key of a request; undefined if it has none. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY.test(key)) throw new ApiError('invalid_idempotency_key')
  return key
}

/**
 * A retry with the same Idempotency-Key gets the first response and changes nothing a second time. A request without the header is
 * rejected if the endpoint requires it; otherwise it is handled without this check.
 */
export async function once(
  answers: IdempotentResponses,
  request: FastifyRequest,
  callerId: string,
  isRequired: boolean,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const key = idempotencyKeyOf(request)
  if (key === undefined && isRequired)
    throw new ApiError('invalid_idempotency_key', { reason: 'this call requires the header Idempotency-Key' })
  if (key === undefined) return work()

  const scope = idempotencyScope(callerId, `${request.method} ${request.routeOptions.url}`)
  const { body } = request
  const requestHash = sha256(
    `${request.url}\n${body instanceof Buffer ? body.toString('latin1') : request.bodyText}`,
  )
  const begun = await answers.begin({ scope, key, requestHash })
  if (begun.kind === 'answered') return begun

  const answer = await work().catch(async (error: unknown) => {
    // Nothing was changed, so the same key may be used again. If this call fails too, the claim expires within a minute.
    await answers.abandon(scope, key).catch(() => {})
    throw error
  })
  await answers.finish(scope, key, answer.status, answer.body)
  return answer
}
