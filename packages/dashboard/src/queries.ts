import { signal } from '@preact/signals'
import type { EnvironmentName } from '@svc/contract/common/schemas'
import { SvcError } from '@svc/sdk/developer'
import { keepPreviousData, type Query, QueryCache, QueryClient, useQuery } from '@tanstack/preact-query'

import {
  asSvcError,
  call,
  type CallName,
  isUnreachable,
  type RequestOf,
  type ResponseOf,
} from './developer.ts'
import { reasonAgainst } from './roles.ts'

const RETRY_FIRST_MS = 2_000
const RETRY_MAX_MS = 60_000
const CACHED_MS = 5 * 60_000

/** The cache of all calls. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      // Somebody has changed the role of the developer, or ended it.
      const { code } = asSvcError(error)
      if (code === 'role_required' || code === 'project_not_found') refresh('listProjects')
    },
  }),
  defaultOptions: {
    queries: { retry: false, networkMode: 'always', gcTime: CACHED_MS, staleTime: 500 },
    // An action may contain a password: nothing of it is kept.
    mutations: { networkMode: 'always', gcTime: 0 },
  },
})

/** Calls whose changes a stream reports at the moment. */
export const followed = signal<ReadonlySet<CallName>>(new Set())
const FOLLOWED_EVERY_MS = 60_000

const intervalOf = (name: CallName, everyMs: number): number =>
  followed.value.has(name) ? Math.max(everyMs, FOLLOWED_EVERY_MS) : everyMs

/** Failures in a row, by query. */
const failures = new Map<string, number>()

export type Answer<T> = {
  data: T | undefined
  /** Why the last request failed; older data stays. */
  error: SvcError | null
  /** When the data arrived, in milliseconds since 1970. */
  at: number
  again(): void
}

type Options = {
  /** The interval of a page that stays current while it is visible. */
  everyMs?: number
  enabled?: boolean
  /** Shows the data of the previous request until this one is answered. */
  keepsPrevious?: boolean
}

/** The error of a call that the role of the developer does not allow, so that nobody sends it; undefined if it is allowed. */
function refusalOf(name: CallName, request: object): SvcError | undefined {
  const { projectId, env } =
    (request as { params?: { projectId?: string; env?: EnvironmentName } }).params ?? {}
  const list = queries.getQueryData<ResponseOf<'listProjects'>>(['listProjects', {}])
  const role = list?.projects.find(({ id }) => id === projectId)?.role
  const message = role && reasonAgainst(name, { role, env }, 'see this')
  return message === undefined
    ? undefined
    : new SvcError('role_required', { message, details: { projectId } })
}

/** Shows cached data immediately, and requests it again in the background. A call that the role does not allow is not sent. */
export function useCall<Name extends CallName>(
  name: Name,
  request: RequestOf<Name>,
  { everyMs, enabled = true, keepsPrevious = false }: Options = {},
): Answer<ResponseOf<Name>> {
  const key = JSON.stringify([name, request])
  const refused = refusalOf(name, request)
  const result = useQuery(
    {
      queryKey: [name, request],
      enabled: enabled && refused === undefined,
      queryFn: async ({ signal }): Promise<ResponseOf<Name>> => {
        try {
          const response = await call(name, request, { signal })
          failures.delete(key)
          return response
        } catch (error) {
          if (asSvcError(error).code !== 'aborted') failures.set(key, (failures.get(key) ?? 0) + 1)
          throw error
        }
      },
      refetchInterval: ({ state }) => {
        const failed = failures.get(key) ?? 0
        if (failed === 0) return everyMs === undefined ? false : intervalOf(name, everyMs)
        // Without a response every page tries again after 2, 4, 8 … 60 s. After an error only pages that poll try again, more slowly.
        if (state.error !== null && isUnreachable(asSvcError(state.error)))
          return Math.min(RETRY_FIRST_MS * 2 ** Math.min(failed - 1, 5), RETRY_MAX_MS)
        return everyMs === undefined ? false : Math.min(everyMs * 2 ** Math.min(failed, 4), RETRY_MAX_MS)
      },
      ...(keepsPrevious && { placeholderData: keepPreviousData }),
    },
    queries,
  )
  if (refused) return { data: undefined, error: refused, at: 0, again: () => {} }
  return {
    data: result.data as ResponseOf<Name> | undefined,
    error: result.error === null ? null : asSvcError(result.error),
    at: result.dataUpdatedAt,
    again: () => void result.refetch(),
  }
}

/** After a change: requests everything again that these calls returned. */
export const refresh = (...names: CallName[]): void => {
  for (const name of names) void queries.invalidateQueries({ queryKey: [name] })
}

/** From now on a stream reports changes of these calls. Loaded data is requested once more. */
export function follow(names: ReadonlySet<CallName>) {
  followed.value = names
  const isLoaded = ({ queryKey: [name], state }: Query) =>
    state.dataUpdatedAt > 0 && names.has(name as CallName)
  void queries.invalidateQueries({ predicate: isLoaded }, { cancelRefetch: false })
}

/** The stream has ended: these calls are polled again, starting now. */
export function unfollow() {
  const names = [...followed.value]
  followed.value = new Set()
  refresh(...names)
}

/** After a sign-out: nothing of the developer stays in the cache. */
export const forgetAnswers = (): void => {
  failures.clear()
  queries.clear()
}
