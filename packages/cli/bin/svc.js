#!/usr/bin/env node
// `svc` for developers and CI.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const installed = pathOf('../dist/main.js')
const isInstalled = existsSync(installed)
const { CHECKOUT_CACHE, node26, runOnNode26 } = await import(
  isInstalled ? './on-node-26.js' : '../../server/bin/on-node-26.js'
)

const node = node26()
if (node !== undefined)
  if (isInstalled) runOnNode26(node, installed)
  else runOnNode26(node, pathOf('../src/main.ts'), { cache: CHECKOUT_CACHE })
