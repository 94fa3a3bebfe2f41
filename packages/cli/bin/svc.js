#!/usr/bin/env node
// `svc` for developers and CI.
import { fileURLToPath } from 'node:url'

import { runOnNode26 } from '../../server/bin/on-node-26.js'

runOnNode26(fileURLToPath(new URL('../src/main.ts', import.meta.url)))
