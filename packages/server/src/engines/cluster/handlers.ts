/** A list of handlers. An error of one is logged and does not affect the others. */
export function createHandlers<Args extends unknown[]>(log: (sentence: string) => void = () => {}) {
  const handlers: ((...args: Args) => void)[] = []

  return {
    add: (handler: (...args: Args) => void) => void handlers.push(handler),

    call(...args: Args) {
      for (const handler of handlers) {
        try {
          handler(...args)
        } catch (error) {
          log(`a handler of the cluster failed: ${error instanceof Error ? error.message : String(error)}`)
        }
      }
    },
  }
}
