import { homedir } from 'node:os'
import { join } from 'node:path'

const { npm_config_cache, npm_config_registry, NODE_EXTRA_CA_CERTS } = process.env

/**
 * For commands that run `npm install` with an empty home folder: the cache, the registry and the certificate authority of the person who
 * runs the tests.
 */
export const NPM_VARIABLES: Record<string, string> = {
  npm_config_cache: npm_config_cache ?? join(homedir(), '.npm'),
  npm_config_prefer_offline: 'true',
  npm_config_update_notifier: 'false',
  ...(npm_config_registry && { npm_config_registry }),
  ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
}
