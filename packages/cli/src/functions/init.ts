import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { DEFAULT_FOLDER, folderOf } from './folder.ts'
import { findFunctionsFile } from './project.ts'

const CONFIG = `{
  // https://developers.cloudflare.com/workers/wrangler/configuration, as far as svc supports it
  "main": "src/index.ts",
  "compatibility_date": "2026-11-04"
}
`
const STARTERS = {
  bare: `export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json({ hello: request.headers.get('svc-player-id') ?? 'guest' })
  },
}
`,
  hono: `import { Hono } from 'hono'

type Env = { SVC: { fetch: typeof fetch } }

const app = new Hono<{ Bindings: Env }>()

app.get('/', (c) => c.json({ hello: c.req.header('svc-player-id') ?? 'guest' }))

export default app
`,
}
export const STARTER_NAMES = Object.keys(STARTERS) as (keyof typeof STARTERS)[]

/** Creates a folder with a function; existing files stay. */
export async function initFunctions(
  context: Context,
  { starter }: { starter: keyof typeof STARTERS },
  directory = DEFAULT_FOLDER,
) {
  const { out } = context
  const folder = folderOf(context, directory)
  if (findFunctionsFile(folder) !== undefined)
    throw new Failure('usage', `${directory} already has functions.`, { fix: 'Choose another folder.' })
  mkdirSync(join(folder, 'src'), { recursive: true })
  const packageJson = {
    private: true,
    type: 'module',
    ...(starter === 'hono' && { dependencies: { hono: '^4.0.0' } }),
  }
  const files = {
    'wrangler.jsonc': CONFIG,
    'src/index.ts': STARTERS[starter],
    'package.json': `${JSON.stringify(packageJson, null, 2)}\n`,
    '.gitignore': 'node_modules\nfunctions.map.json\n',
  }
  for (const [name, content] of Object.entries(files))
    if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), content)
  const named = directory === DEFAULT_FOLDER ? '' : ` ${directory}`
  out.done(`created ${directory} with a function (starter: ${starter})`)
  out.line()
  if (starter === 'hono') out.line(`Next: npm install --prefix ${directory} && svc functions dev${named}`)
  else out.line(`Next: svc functions dev${named}`)
  return { folder: directory, starter }
}
