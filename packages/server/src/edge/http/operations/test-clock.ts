import { moveClock } from '@svc/contract/platform'

import { ApiError } from '../../../platform/api-error.ts'
import type { TestClock } from '../../../platform/time/test-clock.ts'
import type { Route } from '../routes.ts'

/** Lets the tests of a game skip time. Only with SVC_TEST_CLOCK=on, and only for development keys. */
export function testClockRoutes(route: Route, clock: TestClock) {
  route(moveClock, async ({ environment, body }) => {
    if (environment.name !== 'development') throw new ApiError('not_found')
    await clock.advance(body.advanceMs)
    return { now: clock.now().toISOString() }
  })
}
