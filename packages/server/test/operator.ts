import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const MAIN = join(import.meta.dirname, '../src/main.ts')

type Data = {
  dataDir: string
  postgres?: { url: string } | undefined
  variables?: Record<string, string>
}

/** Runs the program like an operator, on the data of a service that may be running. */
export async function operate({ dataDir, postgres, variables }: Data, ...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const program = spawn(process.execPath, ['--conditions=source', MAIN, ...args], {
    env: {
      PATH,
      NODE_COMPILE_CACHE,
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
