#!/usr/bin/env node
// The service, and its operator's commands.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { node26, runOnNode26 } from './on-node-26.js'

const installed = fileURLToPath(new URL('../dist/main.js', import.meta.url))
/** A checkout has no `dist`: it is built when a source has changed. */
const inCheckout = async (node) =>
  (await import('../../../scripts/build/current-server.js')).currentServer(node)

const node = node26()
if (node !== undefined)
  runOnNode26(node, existsSync(installed) ? installed : await inCheckout(node), [
    // Of Node's 16 the larger part would only be waiting to be filled: 12 to 40 MB less with 3,000 sockets, for no more work.
    '--max-semi-space-size=8',
  ])
