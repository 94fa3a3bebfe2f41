// A binding that rooms do not have: every use of it throws a sentence that names the way around.
export default ({ message }: { message: string }) => {
  const refuse = (): never => {
    throw new Error(message)
  }
  return new Proxy(
    {},
    {
      // `await` and the console look for these.
      get: (_target, name) => (typeof name === 'symbol' || name === 'then' ? undefined : refuse()),
      set: refuse,
      deleteProperty: refuse,
      defineProperty: refuse,
    },
  )
}
