import { cpSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

import { OWN_FILES } from '../own-files.ts'

const SDK_COPY = '.svc/sdk'

/** The npm script that runs the CLI. `npm run` never downloads a package, which `npx` offers to do for an unknown name. */
export const RUN_SVC = 'npm run svc --'
export const SVC_SCRIPT = { svc: 'svc' }

/** Whether `npm run svc` has started this command. */
export const isByNpmRun = ({
  npm_lifecycle_event: script,
}: Readonly<Record<string, string | undefined>>): boolean => script === 'svc'

/** Rewrites commands in a text for `npm run svc`, because `svc` alone is not in the PATH then. */
export const asTyped = (text: string, commands: readonly string[]): string =>
  text.replace(new RegExp(`\\bsvc (?=(?:${commands.join('|')})\\b)`, 'g'), `${RUN_SVC} `)

/** The schema of svc.config.json in the CLI package, which editors find offline. */
export const SCHEMA_PATH = './node_modules/@svc/cli/svc.config.schema.json'

/**
 * Dependencies of a folder on svc, whose packages are not published yet: the CLI by its path in this checkout, the SDK by
 * a copy in the folder, because bundlers reject links that lead out of it.
 */
export const cliDependency = (folder: string): Record<string, string> => ({
  '@svc/cli': `file:${relative(realpathSync(folder), OWN_FILES.cli).split(sep).join('/')}`,
})
export const SDK_DEPENDENCY = { '@svc/sdk': `file:${SDK_COPY}` }

/** Whether `svc init` has copied the SDK into the folder. */
export const hasSdkCopy = (folder: string): boolean => existsSync(join(folder, SDK_COPY))

/** Copies the SDK as it would be published: without sources, and without dependencies on the registry. */
export async function copySdk(folder: string) {
  const copy = join(folder, SDK_COPY)
  const { built, manifest: manifestFile } = OWN_FILES.sdk
  cpSync(await built(), join(copy, 'dist'), { recursive: true })
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(manifestFile, 'utf8'))
  writeFileSync(join(copy, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
