import { FEATURES, PROVIDERS, SHARE_TOOLS } from '../common/features.ts'

/** A feature that is on or off in an environment, and its path in the config document (CFG-21, GEN-41). */
export type Switch = { key: string; title: string; configPath: string | null }

const PROVIDER_TITLES: Record<(typeof PROVIDERS)[number], string> = {
  google: 'Sign-in with Google',
  discord: 'Sign-in with Discord',
  apple: 'Sign-in with Apple',
  x: 'Sign-in with X',
}

const SHARE_TITLES: Record<(typeof SHARE_TOOLS)[number], string> = {
  images: 'Share: card images',
  tags: 'Share: page tags',
  links: 'Share: links',
  tracking: 'Share: visit counts',
  inAppBrowser: 'Share: continue in another browser',
}

/** Every switch of the config document. */
export const SWITCHES: readonly Switch[] = [
  ...Object.entries(FEATURES).map(([key, { title }]) => ({ key, title, configPath: `features.${key}` })),
  ...PROVIDERS.map((provider) => ({
    key: provider,
    title: PROVIDER_TITLES[provider],
    configPath: `auth.providers.${provider}.enabled`,
  })),
  ...SHARE_TOOLS.map((tool) => ({
    key: `share.${tool}`,
    title: SHARE_TITLES[tool],
    configPath: `share.${tool}.enabled`,
  })),
  // Turned on by the enable operation of functions, not by the document.
  { key: 'functions', title: 'Server functions', configPath: null },
  { key: 'svcNews', title: 'News box', configPath: 'svcNews.optIn' },
]

/** The value of a switch in a document, or in a config with its defaults. */
export function switchedAt(config: object, { configPath }: Switch): boolean | undefined {
  let part: unknown = config
  for (const name of configPath?.split('.') ?? []) {
    part =
      typeof part === 'object' && part !== null && Object.hasOwn(part, name)
        ? Reflect.get(part, name)
        : undefined
  }
  return typeof part === 'boolean' ? part : undefined
}
