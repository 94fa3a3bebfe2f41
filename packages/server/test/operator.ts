import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

import { CHECKOUT_CACHE } from '../bin/on-node-26.js'
import { builtServer } from './server-process.ts'

type Data = {
  dataDir: string
  postgres?: { url: string } | undefined
  variables?: Record<string, string>
}

/** Runs the program like an operator, on the data of a service that may be running. */
export async function operate({ dataDir, postgres, variables }: Data, ...args: string[]) {
  const program = spawn(process.execPath, [...builtServer(), ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: CHECKOUT_CACHE,
      SVC_DATA_DIR: dataDir,
      DATABASE_URL: postgres?.url,
      LOG_LEVEL: 'silent',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], output, errors] = await Promise.all([
    once(program, 'exit'),
    text(program.stdout),
    text(program.stderr),
  ])
  return { code, output, errors }
}
