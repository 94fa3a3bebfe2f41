import { cpSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

const PACKAGES = resolve(import.meta.dirname, '../..')
const SDK_COPY = '.svc/sdk'
/** The folder of the svc repository. */
export const CHECKOUT = resolve(PACKAGES, '..')

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
  '@svc/cli': `file:${relative(realpathSync(folder), join(PACKAGES, 'cli')).split(sep).join('/')}`,
})
export const SDK_DEPENDENCY = { '@svc/sdk': `file:${SDK_COPY}` }

export const hasSdkCopy = (folder: string): boolean => existsSync(join(folder, SDK_COPY))

/** Copies the SDK as it would be published: without sources, and without dependencies on the registry. */
export function copySdk(folder: string) {
  const [from, to] = [join(PACKAGES, 'sdk'), join(folder, SDK_COPY)]
  cpSync(join(from, 'built'), join(to, 'built'), { recursive: true })
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
