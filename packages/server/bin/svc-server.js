#!/usr/bin/env node
// The service, and its operator's commands.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { CHECKOUT_CACHE, node26, runOnNode26 } from './on-node-26.js'

const INSTALLED = fileURLToPath(new URL('../dist/main.js', import.meta.url))
// Of Node's 16 the larger part would only be waiting to be filled: 12 to 40 MB less with 3,000 sockets, for no more work.
const OPTIONS = ['--max-semi-space-size=8']

const node = node26()
if (node !== undefined)
  if (existsSync(INSTALLED)) runOnNode26(node, INSTALLED, { cache: cacheInData(), options: OPTIONS })
  else {
    // A checkout has no `dist`: it is built when a source has changed.
    const { currentServer } = await import('../../../scripts/build/current-server.js')
    runOnNode26(node, currentServer(node), { cache: CHECKOUT_CACHE, options: OPTIONS })
  }

/** Who can write there chooses what runs, so it is never a folder of all accounts. A folder without data stays empty. */
function cacheInData() {
  const data = resolve(process.env.SVC_DATA_DIR || 'data')
  return existsSync(join(data, 'secret.key')) ? join(data, 'compile-cache') : undefined
}
