/** Made at its first use, and kept; what fails is tried again by whoever comes next. */
export function lazy<T extends object | string>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    if (made !== undefined) return made
    const value = (made = make())
    if (value instanceof Promise) value.catch(() => (made = undefined))
    return value
  }
}
