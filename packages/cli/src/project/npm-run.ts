const RUN_SVC = 'npm run svc --'
/** The npm script that runs the CLI of the folder, for CI. `npm run` never downloads a package, which `npx` offers to do for an unknown name. */
export const SVC_SCRIPT = { svc: 'svc' }

/** Whether `npm run svc` has started this command. */
export const isByNpmRun = ({
  npm_lifecycle_event: script,
}: Readonly<Record<string, string | undefined>>): boolean => script === 'svc'

/** Rewrites commands in a text for `npm run svc`: then `svc` alone may not be in the PATH. */
export const asTyped = (text: string, commands: readonly string[]): string =>
  text.replace(new RegExp(`\\bsvc (?=(?:${commands.join('|')})\\b)`, 'g'), `${RUN_SVC} `)

/** The schema of svc.config.json in the CLI package, which editors find offline. */
export const SCHEMA_PATH = './node_modules/@svc/cli/svc.config.schema.json'
