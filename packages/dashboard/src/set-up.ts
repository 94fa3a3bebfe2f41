import type { EnvironmentName } from '@svc/contract/common/schemas'

/** Installs the CLI of this service; needs only Node. */
export const INSTALL_COMMAND: string = `npm install -g ${location.origin}/packages/svc-cli.tgz`

/** Installs the CLI and connects a folder, new or of an existing app, with the project. */
export const setUpCommands = (slug: string): string =>
  `${INSTALL_COMMAND}\nsvc init --project ${slug} --url ${location.origin}`

/** The option of a command that does not act in development. */
export const envOption = (env: EnvironmentName): string => (env === 'production' ? ' --env production' : '')

/** Creates an agent and writes the configuration of its program, in a folder that is set up. */
export const agentCommands = (env: EnvironmentName): string =>
  `svc agent login${envOption(env)}\nsvc mcp install --write${envOption(env)}`
