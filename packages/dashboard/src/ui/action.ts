import { useMutation } from '@tanstack/preact-query'

import { asSvcError, type CallName, type SvcError } from '../developer.ts'
import { queries, refresh } from '../queries.ts'
import { notifyError } from './messages.tsx'

/** Something that a person starts and that takes a while, such as saving a form. */
export type Action<Args extends unknown[] = []> = {
  run: (...args: Args) => void
  /** While it runs. */
  busy: boolean
  /** Why the last run failed. */
  error: SvcError | undefined
}

/**
 * Runs `act` and reports whether it is running and why it failed; a run goes on when its component is removed. With `onError` the error
 * is not in `error`, unless `onError` throws it again. `onEnd` is called after every run, also after one that failed.
 */
export function useAction<Args extends unknown[]>(
  act: (...args: Args) => Promise<unknown>,
  onError?: (error: unknown) => void,
  onEnd?: () => void,
): Action<Args> {
  // The function is an argument of each run: options are applied only after the next frame, and a person may click before.
  const { mutate, isPending, error } = useMutation(
    { mutationFn: (work: () => Promise<unknown>) => work() },
    queries,
  )
  return {
    run: (...args) =>
      mutate(() =>
        act(...args)
          .catch(onError)
          .finally(onEnd),
      ),
    busy: isPending,
    error: error === null ? undefined : asSvcError(error),
  }
}

/** A change without a form, such as a button in a list: an error is shown at the edge of the page, and `changed` calls are requested again. */
export const useChange = <Args extends unknown[]>(
  changed: readonly CallName[],
  act: (...args: Args) => Promise<unknown>,
): Action<Args> => useAction(act, notifyError, () => refresh(...changed))

/** For a form: runs the action instead of loading a page. */
export const submits = (run: () => void) => (event: Event) => {
  event.preventDefault()
  run()
}
