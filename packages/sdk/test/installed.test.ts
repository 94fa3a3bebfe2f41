import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '../../..')

const MAIN = `
import { connect, isSvcError } from '@svc/sdk'
import { openSignIn } from '@svc/sdk/ui'
const svc = await connect({ url: 'http://localhost:8787', key: 'pk_dev_x' })
const best: number = (await svc.saves.get<{ score: number }>('best'))?.data.score ?? 0
const room = await svc.rooms.quickMatch('duel')
room.on('player_state', (player, state) => console.log(player.displayName, state, best, isSvcError, openSignIn))
`

/** As the template of Vite for TypeScript has it. */
const COMPILER_OPTIONS = {
  target: 'ES2022',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  module: 'ESNext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  verbatimModuleSyntax: true,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  erasableSyntaxOnly: true,
}

describe('the SDK in a project that has installed it from its folder', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-installed-'))
    await mkdir(join(folder, 'node_modules/@svc'), { recursive: true })
    await symlink(join(ROOT, 'packages/sdk'), join(folder, 'node_modules/@svc/sdk'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }))
  })
  after(() => rm(folder, { recursive: true }))

  const typeErrors = async (source: string) => {
    await writeFile(join(folder, 'main.ts'), source)
    const tsc = join(ROOT, 'node_modules/.bin/tsc')
    return spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout.trim().split('\n').filter(Boolean)
  }

  test('its types are known, and a wrong one is found', async () => {
    assert.deepEqual(await typeErrors(MAIN), [])
    const [wrong = '', ...none] = await typeErrors(
      `${MAIN}\nexport const name: number = svc.player.displayName`,
    )
    assert.match(wrong, /main\.ts\(9,14\): error TS2322: Type 'string' is not assignable to type 'number'/)
    assert.deepEqual(none, [])
  })

  test('a bundler takes all of it, peer-to-peer in a file of its own', async () => {
    await writeFile(join(folder, 'main.ts'), MAIN)
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'main.ts')],
      bundle: true,
      splitting: true,
      format: 'esm',
      outdir: folder,
      write: false,
      logLevel: 'silent',
    })
    const withMesh = outputFiles.filter(({ text }) => text.includes('RTCPeerConnection'))
    assert.deepEqual([outputFiles.length, withMesh.length], [2, 1])
  })

  test('Node loads it, and the part for servers', () => {
    const script = `
      const { connect } = await import('@svc/sdk')
      const { createServerClient } = await import('@svc/sdk/server')
      console.log(typeof connect, typeof createServerClient)`
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    })
    assert.equal(said, 'function function\n')
  })
})
