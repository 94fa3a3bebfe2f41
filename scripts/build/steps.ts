/** Writes to the terminal, in one line, what is built and why, how far it is, and how long it took. */
export function startSteps(
  why: string,
  write: (text: string) => unknown = (text) => process.stderr.write(text),
) {
  const startedAt = performance.now()
  let separator = ': '
  write(why)
  return {
    step(name: string) {
      write(`${separator}${name}`)
      separator = ', '
    },
    done: () => write(` (${((performance.now() - startedAt) / 1_000).toFixed(0)} s)\n`),
  }
}
