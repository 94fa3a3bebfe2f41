import { realpathSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'

import type { Variables } from './machine.ts'

const PACKAGES = join(import.meta.dirname, '../..')
/** The folder of svc itself. */
export const CHECKOUT = resolve(PACKAGES, '..')

/** The npm script that runs the CLI. `npm run` never downloads a package, which `npx` offers to do for an unknown name. */
export const RUN_SVC = 'npm run svc --'
export const SVC_SCRIPT = { svc: 'svc' }

/** Whether `npm run svc` has started this command. */
export const isByNpmRun = ({ npm_lifecycle_event: script }: Variables): boolean => script === 'svc'

/** Commands in a text as they are typed here: `svc deploy` cannot be typed where npm has started it. */
export const asTyped = (text: string, commands: readonly string[]): string =>
  text.replace(new RegExp(`\\bsvc (?=(?:${commands.join('|')})\\b)`, 'g'), `${RUN_SVC} `)

/** The CLI brings the schema of svc.config.json, so that editors find it offline. */
export const SCHEMA_PATH = './node_modules/@svc/cli/svc.config.schema.json'

/** How the package.json of a folder depends on a package of svc: by its path in this checkout, as long as it is not published. */
export const dependencyOn = (name: 'cli' | 'sdk', folder: string): Record<string, string> => ({
  [`@svc/${name}`]: `file:${pathFrom(realpathSync(folder), resolve(PACKAGES, name))}`,
})

/** npm takes forward slashes on Windows too. */
const pathFrom = (folder: string, target: string) => relative(folder, target).split(sep).join('/')
