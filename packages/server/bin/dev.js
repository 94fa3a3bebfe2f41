// `npm run dev`: the service from its sources, started again when one of them changes.
import { fileURLToPath } from 'node:url'

import { CHECKOUT_CACHE, node26, runOnNode26 } from './on-node-26.js'

const node = node26()
if (node !== undefined)
  runOnNode26(node, fileURLToPath(new URL('../src/main.ts', import.meta.url)), {
    cache: CHECKOUT_CACHE,
    options: ['--watch'],
  })
