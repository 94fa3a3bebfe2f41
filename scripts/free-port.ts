import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** Below the ephemeral ports, which the system gives to outgoing connections and to servers on port 0. */
const PORTS = { first: 10_000, end: 32_000 }

/**
 * A port of the loopback that nobody uses, also not later: no other test of this run gets it. A server can be stopped and started
 * again on it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.end)
    if ((await isFree(port)) && reserve(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isListening) return false
  probe.close()
  await once(probe, 'close')
  return true
}

/** Returns false if another test of this run has it. */
function reserve(port: number): boolean {
  const folder = process.env['TEST_DATA_FOLDER']
  if (folder === undefined) return true
  try {
    writeFileSync(join(folder, `port-${port}`), '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
