/** A line of the input; undefined for one that is too long. */
type Line = string | undefined

/** Splits the input into lines. Of a line with more than `lengthMax` characters nothing is kept. */
export async function* linesOf(input: AsyncIterable<unknown>, lengthMax: number): AsyncGenerator<Line> {
  let started = ''
  let isTooLong = false
  for await (const chunk of input) {
    const [first = '', ...others] = String(chunk).split('\n')
    started += first
    for (const next of others) {
      yield isTooLong || started.length > lengthMax ? undefined : started
      started = next
      isTooLong = false
    }
    if (started.length <= lengthMax) continue
    started = ''
    isTooLong = true
  }
  if (started !== '') yield started
}
