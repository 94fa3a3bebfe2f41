/** Made at its first use, and kept. */
export function lazy<T extends object | string>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
