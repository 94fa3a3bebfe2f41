import { runCommand } from './commands.ts'
import { environmentSettings, SettingsError } from './settings.ts'

try {
  await runCommand(process.argv.slice(2), environmentSettings())
} catch (error) {
  // What an operator can mend is one sentence, thrown as a plain Error; anything else is a bug and shows its trace.
  const isSentence = error instanceof Error && (error instanceof SettingsError || error.constructor === Error)
  console.error(isSentence ? error.message : error)
  process.exitCode = 1
}
