// miniflare, the local form of Cloudflare Workers: functions with a fixed answer, in a workerd that this process starts and ends.
import { get } from 'node:http'
import { text } from 'node:stream/consumers'

import { Miniflare } from 'miniflare'

const optionsOf = (answer) => ({
  host: '127.0.0.1',
  modules: true,
  script: `export default { fetch() { return new Response('${answer}') } }`,
  compatibilityDate: '2025-01-01',
  // It would be downloaded.
  cf: false,
})
let miniflare

const answerOf = (url) =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => void text(response).then(resolve, reject)).on('error', reject)
  })

/** The time until the first answer. */
async function run(task, answer) {
  const startedAt = performance.now()
  if (task === 'start') miniflare = new Miniflare(optionsOf(answer))
  else await miniflare.setOptions(optionsOf(answer))
  const url = await miniflare.ready
  const got = await answerOf(url)
  if (got !== answer) throw new Error(`the functions answer ${got}`)
  return { ms: performance.now() - startedAt, port: Number(url.port) }
}

process.on('message', ({ task, answer }) => {
  const done = task === 'stop' ? miniflare.dispose() : run(task, answer)
  done.then(
    (result) => process.send({ result }),
    (error) => process.send({ failed: String(error) }),
  )
})
// workerd would go on without this process.
process.on('disconnect', () => (miniflare?.dispose() ?? Promise.resolve()).finally(() => process.exit()))
