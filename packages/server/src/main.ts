import { runCommand } from './commands.ts'
import { environmentSettings, SettingsError } from './settings.ts'

try {
  await runCommand(process.argv.slice(2), environmentSettings())
} catch (error) {
  // A problem that an operator can fix is one sentence, thrown as an `Error`; any other error is a bug and is printed with its
  // stack trace.
  const isSentence = error instanceof Error && (error instanceof SettingsError || error.constructor === Error)
  console.error(isSentence ? error.message : error)
  process.exitCode = 1
}
