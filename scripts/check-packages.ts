import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

import { cachedBuild } from './build/cached.ts'
import { buildPackages } from './build/packages.ts'

/** What decides how a package looks to npm and to compilers. The code in it does not. */
const SOURCES = [
  'package-lock.json',
  'package.json',
  'packages/cli/bin',
  'packages/cli/package.json',
  'packages/sdk/package.json',
  'packages/sdk/src',
  'packages/server/bin',
  'packages/server/package.json',
  'scripts/build',
  'scripts/build-sdk.ts',
  'scripts/check-packages.ts',
  'scripts/declarations.ts',
  'scripts/sdk-types.ts',
]
const PACKAGES = ['cli', 'sdk', 'server']
/** The SDK consists of ES modules: old resolution and `require` are not supported (docs/decisions/0054). */
const UNSUPPORTED = new Set(['node10', 'node16-cjs'])

/** Remarks of publint about all packages, and of attw about the types of the SDK. */
async function problemsOf(build: string): Promise<string[]> {
  const problems: string[] = []
  for (const name of PACKAGES) {
    const { messages, pkg } = await publint({ pkgDir: join(build, name), pack: false, strict: true })
    for (const message of messages) problems.push(`${name}: ${formatMessage(message, pkg, { color: false })}`)
  }
  const packed = join(build, 'server/dist/packages')
  const { packages } = JSON.parse(await readFile(join(packed, 'index.json'), 'utf8')) as {
    packages: { name: string; file: string }[]
  }
  const { file = '' } = packages.find(({ name }) => name === '@svc/sdk') ?? {}
  const result = await checkPackage(createPackageFromTarballData(await readFile(join(packed, file))))
  if (!result.types) return [...problems, 'sdk: it has no types']
  for (const problem of result.problems)
    if (!('resolutionKind' in problem && UNSUPPORTED.has(problem.resolutionKind)))
      problems.push(`sdk: ${JSON.stringify(problem)}`)
  return problems
}

/** Checks the packages if one of them may look different since they were found right. */
await cachedBuild('checked-packages', SOURCES, async (folder) => {
  console.log('checking the packages')
  await buildPackages(folder)
  const problems = await problemsOf(folder)
  // Whether they were right is all that is kept.
  for (const name of PACKAGES) await rm(join(folder, name), { recursive: true })
  if (problems.length === 0) return
  await rm(folder, { recursive: true })
  console.error(problems.join('\n'))
  process.exit(1)
})
