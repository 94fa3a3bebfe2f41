import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'

/** Runs `findOrInstall('chromium')` where it is missing, in a terminal of its own, until it has written this. Then Ctrl-C. */
async function inTerminal(expected: RegExp, env: Record<string, string>) {
  const module = JSON.stringify(join(import.meta.dirname, 'programs.ts'))
  const code = `import(${module}).then(({ findOrInstall }) => findOrInstall("chromium"))`
  const command = `${process.execPath} --conditions=source -e '${code}'`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { ...process.env, CI: '', TEST_CHROMIUM: '/none/svc-no-such-package', ...env },
  })
  let written = ''
  for await (const chunk of child.stdout) {
    written += String(chunk)
    if (expected.test(written)) break
  }
  child.stdin.end('\x03')
  if (child.exitCode === null) await once(child, 'exit')
  return written
}

test('[OPS-76] in a terminal, npm test says what it would install, and waits', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root is asked')
  const written = await inTerminal(/Press Enter/, {})
  assert.match(
    written,
    /missing[^]*apt-get install -y --no-install-recommends svc-no-such-package[^]*Press Enter/,
  )
  assert.doesNotMatch(written, /Reading package lists/)
})
