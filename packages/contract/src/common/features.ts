/** The switches of `features` in the config document (CFG-08). */
export const FEATURES = {
  emailLogin: { title: 'Email sign-in', requires: null },
  saves: { title: 'Cloud saves', requires: null },
  stats: { title: 'Stats', requires: null },
  multiplayer: { title: 'Multiplayer rooms', requires: null },
  realtimeChannels: { title: 'Realtime channels', requires: null },
  voice: { title: 'Voice calls', requires: 'realtimeChannels' },
  hosting: { title: 'App hosting', requires: null },
  statsVerification: { title: 'Stats verification', requires: 'stats' },
} as const satisfies Record<string, { title: string; requires: string | null }>

/** The name of a feature switch. */
export type FeatureName = keyof typeof FEATURES

/** The external providers with which players can sign in. */
export const PROVIDERS = ['google', 'discord', 'apple', 'x'] as const
/** An external provider for players. */
export type Provider = (typeof PROVIDERS)[number]

/** The tools of `share` in the config document. */
export const SHARE_TOOLS = ['images', 'tags', 'links', 'tracking', 'inAppBrowser'] as const
/** A tool of `share` in the config document. */
export type ShareTool = (typeof SHARE_TOOLS)[number]
