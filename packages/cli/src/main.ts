import { homedir } from 'node:os'

import { EXIT_CODES } from './output/failure.ts'
import { runSvc } from './run.ts'
import { resolveLocalhostNames } from './service/localhost-names.ts'
import { systemOf } from './system.ts'

resolveLocalhostNames()

// Ignore EPIPE, for example of `svc … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

// The exit code if a prompt is aborted because the terminal was closed.
process.exitCode = EXIT_CODES.stopped.code
process.exitCode = await runSvc(process.argv.slice(2), systemOf(process, homedir()))
// After Ctrl-C, work in flight must not continue.
if (process.exitCode === EXIT_CODES.stopped.code) process.exit()
