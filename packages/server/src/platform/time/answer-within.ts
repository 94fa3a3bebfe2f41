/**
 * Rejects if the answer takes longer. The limit is measured in two halves: an event-loop stall, however long, ends at most the first
 * one. So a stall of this process does not count as a server that does not answer.
 */
export async function answerWithin<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const reject = () => late.reject(new Error(`no answer within ${limitMs} ms`))
  let timer = setTimeout(() => {
    // After a stall in the second half the reply may already be in the socket buffer: read it before timing out.
    timer = setTimeout(() => setImmediate(reject), limitMs / 2)
  }, limitMs / 2)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
