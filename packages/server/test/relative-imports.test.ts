import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const { href: HOOK } = new URL('../bin/relative-imports.js', import.meta.url)

const FILES = {
  'package.json': '{ "type": "module" }',
  'main.ts': `
    import { typed } from './a folder/typed.ts'
    import { script } from './script.mjs'
    import common from './common.cjs'
    import old from 'old'
    import data from './data.json' with { type: 'json' }
    console.log(JSON.stringify([typed, script, common, old, data, import.meta.resolve('./script.mjs')]))
    await import('./missing.ts').catch((error) => console.log(error.message))
    await import('./folder').catch((error) => console.log(error.code))`,
  'a folder/typed.ts': `import { plain } from '../plain.js'\nexport const typed: string = plain`,
  'plain.js': `export const plain = 'plain'`,
  'script.mjs': `export const script = 'script'`,
  'common.cjs': `module.exports = require('./plain.js').plain`,
  'data.json': '[1]',
  'folder/index.ts': '',
  'node_modules/old/package.json': '{ "main": "lib" }',
  'node_modules/old/lib/index.js': `module.exports = require('./part') + require('./part.js')`,
  'node_modules/old/lib/part.js': `module.exports = 'old'`,
}

test('imports are resolved like Node resolves them', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'svc imports-'))
  t.after(() => rm(root, { recursive: true }))
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const run = async (...options: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [...options, join(root, 'main.ts')], {
      env: {},
    })
    return stdout.trim().split('\n')
  }

  const [values, missing, folder] = await run(`--import=${HOOK}`)
  const [valuesOfNode, , folderOfNode] = await run()

  assert.equal(values, valuesOfNode)
  assert.equal(folder, folderOfNode)
  assert.match(missing ?? '', /missing\.ts/)
})
