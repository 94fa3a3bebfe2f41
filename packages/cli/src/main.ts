import { EXIT_CODES } from './failure.ts'
import { resolveLocalhostNames } from './localhost-names.ts'
import { runSvc } from './run.ts'
import { thisMachine } from './system.ts'

resolveLocalhostNames()

// A reader that has seen enough, like `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

// Holds when a question is left without an answer, because the terminal was closed.
process.exitCode = EXIT_CODES.stopped.code
process.exitCode = await runSvc(process.argv.slice(2), thisMachine())
// What was under way when somebody stopped it shall not go on.
if (process.exitCode === EXIT_CODES.stopped.code) process.exit()
