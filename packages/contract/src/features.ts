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

export type FeatureName = keyof typeof FEATURES

export const PROVIDERS = ['google', 'discord', 'apple', 'x'] as const
export type Provider = (typeof PROVIDERS)[number]

export const SHARE_TOOLS = ['images', 'tags', 'links', 'tracking', 'inAppBrowser'] as const
export type ShareTool = (typeof SHARE_TOOLS)[number]
