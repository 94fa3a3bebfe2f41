import { codeOf, openTestFunctions, specOf } from './functions.ts'

/** A process for tests that kill or freeze a service: it runs functions on the folder of its argument until it is killed. */
const { engine } = await openTestFunctions({ folder: process.argv[2] ?? '' })
const running = await engine.start(
  specOf(
    codeOf('export default { fetch: () => new Response() }', {
      bindings: [{ type: 'db', name: 'DB', id: 'main' }],
    }),
  ),
)
await running.query('main', 'CREATE TABLE t (i); INSERT INTO t VALUES (42)', [])
process.send?.(engine.pids()[0])
setInterval(() => {}, 1_000)
