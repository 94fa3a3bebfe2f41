#!/usr/bin/env node
// The service, and its operator's commands.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { CHECKOUT_CACHE, node26, runOnNode26, SERVER_OPTIONS } from './on-node-26.js'

const INSTALLED = fileURLToPath(new URL('../dist/main.js', import.meta.url))

const node = node26()
if (node !== undefined)
  if (existsSync(INSTALLED)) runOnNode26(node, INSTALLED, { cache: cacheInData(), options: SERVER_OPTIONS })
  else {
    // A checkout has no `dist`: it is built when a source has changed.
    const { currentServer } = await import('../../../scripts/build/current-server.js')
    runOnNode26(node, currentServer(node), { cache: CHECKOUT_CACHE, options: SERVER_OPTIONS })
  }

/** Who can write there chooses what runs, so it is never a folder of all accounts. A folder without data stays empty. */
function cacheInData() {
  const data = resolve(process.env.SVC_DATA_DIR || 'data')
  return existsSync(join(data, 'secret.key')) ? join(data, 'compile-cache') : undefined
}
