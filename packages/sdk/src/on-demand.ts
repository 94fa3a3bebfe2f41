import { SvcError } from './http/errors.ts'

type Functions<T> = { [name in keyof T]: (...given: never[]) => Promise<unknown> }

/**
 * An object whose code is loaded when one of its functions is first called. `names` are the functions, because the code that has
 * them is not here yet.
 */
export function onDemand<T extends Functions<T>>(load: () => Promise<T>, names: Record<keyof T, 1>): T {
  let loading: Promise<T> | undefined
  const loaded = () =>
    (loading ??= load().catch((cause: unknown) => {
      loading = undefined
      throw new SvcError('network_error', { message: 'a file of the SDK could not be loaded', cause })
    }))
  const call =
    (name: keyof T) =>
    async (...given: never[]) =>
      (await loaded())[name](...given)
  return Object.fromEntries((Object.keys(names) as (keyof T)[]).map((name) => [name, call(name)])) as T
}
