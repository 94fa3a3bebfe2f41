import { runCommand } from './commands.ts'
import { environmentSettings, SettingsError } from './settings.ts'

try {
  await runCommand(process.argv.slice(2), environmentSettings())
} catch (error) {
  // What an operator can mend is one sentence; anything else is a bug and shows its trace.
  console.error(error instanceof SettingsError ? error.message : error)
  process.exitCode = 1
}
