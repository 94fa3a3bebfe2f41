import { SvcError } from './http/errors.ts'

type Functions<T> = { [name in keyof T]: (...given: never[]) => Promise<unknown> }

/** Loads a file of the SDK; `load` imports it. */
export const loadFile = <T>(load: () => Promise<T>): Promise<T> =>
  load().catch((cause: unknown) => {
    throw new SvcError('network_error', { message: 'a file of the SDK could not be loaded', cause })
  })

/**
 * An object whose code is loaded when one of its functions is first called. `names` are the functions, because the code that has
 * them is not here yet.
 */
export function onDemand<T extends Functions<T>>(load: () => Promise<T>, names: Record<keyof T, 1>): T {
  let loading: Promise<T> | undefined
  const loaded = () =>
    (loading ??= loadFile(load).catch((error: unknown) => {
      loading = undefined
      throw error
    }))
  const call =
    (name: keyof T) =>
    async (...given: never[]) =>
      (await loaded())[name](...given)
  return Object.fromEntries((Object.keys(names) as (keyof T)[]).map((name) => [name, call(name)])) as T
}
