#!/usr/bin/env node
// The command `exec` for Windows, where npm runs scripts with cmd.exe, which has none: `exec node file arguments`.
// On other systems the shell's own `exec` comes first. `npm start` needs it there, because a shell that waits for the
// service does not forward the signals that npm forwards.
import { spawn } from 'node:child_process'

const [, ...args] = process.argv.slice(2)
const program = spawn(process.execPath, args, { stdio: 'inherit' })
// Ctrl-C reaches every process of the console; the service decides when it ends.
process.on('SIGINT', () => {})
program.on('exit', (code) => process.exit(code ?? 1))
