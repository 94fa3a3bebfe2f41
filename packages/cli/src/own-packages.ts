import { cpSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

const PACKAGES = resolve(import.meta.dirname, '../..')
const SDK_COPY = '.svc/sdk'
/** The folder of svc itself. */
export const CHECKOUT = resolve(PACKAGES, '..')

/** The npm script that runs the CLI. `npm run` never downloads a package, which `npx` offers to do for an unknown name. */
export const RUN_SVC = 'npm run svc --'
export const SVC_SCRIPT = { svc: 'svc' }

/** Whether `npm run svc` has started this command. */
export const isByNpmRun = ({
  npm_lifecycle_event: script,
}: Readonly<Record<string, string | undefined>>): boolean => script === 'svc'

/** Commands in a text as they are typed here: `svc deploy` cannot be typed where npm has started it. */
export const asTyped = (text: string, commands: readonly string[]): string =>
  text.replace(new RegExp(`\\bsvc (?=(?:${commands.join('|')})\\b)`, 'g'), `${RUN_SVC} `)

/** The CLI brings the schema of svc.config.json, so that editors find it offline. */
export const SCHEMA_PATH = './node_modules/@svc/cli/svc.config.schema.json'

/**
 * How the package.json of a folder depends on svc, as long as its packages are not published: on the CLI by its path in
 * this checkout, on the SDK by the path of a copy in the folder, because bundlers refuse links that lead out of it.
 */
export const cliDependency = (folder: string): Record<string, string> => ({
  '@svc/cli': `file:${relative(realpathSync(folder), join(PACKAGES, 'cli')).split(sep).join('/')}`,
})
export const SDK_DEPENDENCY = { '@svc/sdk': `file:${SDK_COPY}` }

export const hasSdkCopy = (folder: string): boolean => existsSync(join(folder, SDK_COPY))

/** What the package contains once it is published: no sources, and nothing that npm would look for in the registry. */
export function copySdk(folder: string) {
  const [from, to] = [join(PACKAGES, 'sdk'), join(folder, SDK_COPY)]
  cpSync(join(from, 'built'), join(to, 'built'), { recursive: true })
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
