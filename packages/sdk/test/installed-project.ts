import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { upToDateFolder } from '../build.ts'

const ROOT = join(import.meta.dirname, '../../..')

const STRICT = {
  target: 'ES2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noEmit: true,
  skipLibCheck: false,
}
/** Compiler options of a page. */
export const IN_A_PAGE = { ...STRICT, lib: ['ES2022', 'DOM'], types: [] }
/** Compiler options of a program in Node. */
export const IN_NODE = {
  ...STRICT,
  lib: ['ES2022'],
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
}

export type InstalledProject = Awaited<ReturnType<typeof createInstalledProject>>

/** A project that has installed the SDK. Nothing of the repository is beside it: neither its sources nor the contract. */
export async function createInstalledProject() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-installed-'))
  const installed = join(folder, 'node_modules/@svc/sdk')
  await mkdir(installed, { recursive: true })
  await cp(join(ROOT, 'packages/sdk/package.json'), join(installed, 'package.json'))
  await cp(await upToDateFolder(), join(installed, 'dist'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')

  return {
    folder,
    /** The folder with the built files of the SDK. */
    sdkFolder: join(installed, 'dist'),

    /** One run of the compiler for all sources, by their file names. */
    async typeErrors(sources: Record<string, string>, compilerOptions: object): Promise<string[]> {
      for (const [file, source] of Object.entries(sources)) await writeFile(join(folder, file), source)
      const project = { compilerOptions, files: Object.keys(sources) }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project))
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
      assert.equal(status === 0, stdout === '')
      return stdout.trim().split('\n').filter(Boolean)
    },

    remove: () => rm(folder, { recursive: true }),
  }
}
