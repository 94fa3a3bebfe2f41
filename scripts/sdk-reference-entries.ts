/** A part of a page: one heading, with a heading for each of its functions. */
export type Part = {
  /** The heading, such as `svc.saves`. */
  title: string
  /** The declarations that have its functions; `Svc.p2p` is a member of one. */
  of: readonly string[]
  /** How examples call the object (default: the title). */
  as?: string
  /** The declaration of its events. */
  events?: string
  /** Types that are described here, and functions. */
  with?: readonly string[]
}

/** The reference of one entry of the SDK. */
export type Entry = {
  /** The page in docs/. */
  file: string
  module: string
  about: string
  /** The declaration file. */
  types: string
  parts: readonly Part[]
  /** Exported types of the parts themselves, with what they are the type of. */
  partTypes?: Record<string, string>
  /** Whether the page lists the codes of the SDK; the others link to that page. */
  hasCodes?: boolean
}

export const ENTRIES: readonly Entry[] = [
  {
    file: 'docs/sdk-browser.md',
    module: '@svc/sdk',
    about:
      'For pages and games, in a browser or in Node. A page that svc hosts imports `/.svc/sdk.js`. [connect](#connect) returns `svc`, ' +
      'which has everything else. Every function that returns a promise can reject with an [SvcError](#svcerror); each function lists ' +
      'the codes that are worth handling.',
    types: 'packages/sdk/dist/sdk.d.ts',
    parts: [
      { title: 'connect', of: ['connect'], with: ['ConnectOptions'] },
      { title: 'svc', of: ['Svc'], events: 'SessionEvents' },
      { title: 'svc.auth', of: ['Email', 'Providers', 'Sessions', 'OwnData'] },
      { title: 'svc.saves', of: ['Saves'] },
      { title: 'svc.stats', of: ['Stats'] },
      { title: 'svc.leaderboards', of: ['Leaderboards'] },
      { title: 'svc.rooms', of: ['Rooms'] },
      { title: 'Room', of: ['Room'], as: 'room', events: 'RoomEvents' },
      { title: 'Prediction', of: ['Prediction'], as: 'me' },
      { title: 'svc.channels', of: ['Channels'] },
      { title: 'Channel', of: ['Channel'], as: 'channel', events: 'ChannelEvents' },
      { title: 'Call', of: ['Call'], as: 'call', events: 'CallEvents' },
      { title: 'svc.p2p', of: ['Svc.p2p'] },
      { title: 'Mesh', of: ['Mesh'], as: 'mesh', events: 'MeshEvents' },
      { title: 'svc.share', of: ['Share'] },
      { title: 'svc.functions', of: ['Functions'] },
      { title: 'svc.config', of: ['Config'] },
      { title: 'SvcError', of: ['SvcError'], as: 'error', with: ['isSvcError'] },
    ],
    partTypes: { Svc: 'svc', Auth: 'svc.auth', Leaderboards: 'svc.leaderboards', Share: 'svc.share' },
    hasCodes: true,
  },
  {
    file: 'docs/sdk-ui.md',
    module: '@svc/sdk/ui',
    about: 'The sign-in dialog. A page that svc hosts imports `/.svc/sdk-ui.js`.',
    types: 'packages/sdk/dist/sdk-ui.d.ts',
    parts: [{ title: 'openSignIn', of: ['openSignIn'], with: ['SignInOptions'] }],
  },
  {
    file: 'docs/sdk-server.md',
    module: '@svc/sdk/server',
    about:
      'For your own server, with the secret key of an environment. [createServerClient](#createserverclient) returns `server`.',
    types: 'packages/sdk/dist/server.d.ts',
    parts: [
      { title: 'createServerClient', of: ['createServerClient'], with: ['ServerOptions'] },
      { title: 'server', of: ['ServerClient'] },
      { title: 'server.players', of: ['ServerClient.players'] },
      { title: 'server.appeals', of: ['Appeals'] },
      { title: 'server.channels', of: ['ServerClient.channels'] },
      { title: 'server.rooms', of: ['ServerRooms'] },
      { title: 'server.config', of: ['ServerClient.config'] },
      { title: 'server.deployments', of: ['Deployments'] },
      { title: 'server.webhook', of: ['ServerClient.webhook'] },
      { title: 'verifyWebhook', of: ['verifyWebhook'], with: ['WebhookOptions'] },
      { title: 'SvcError', of: ['SvcError'], as: 'error', with: ['isSvcError'] },
    ],
    partTypes: { ServerClient: 'server' },
  },
  {
    file: 'docs/sdk-developer.md',
    module: '@svc/sdk/developer',
    about:
      'For developer tools, with a developer session or a secret key. The command line is built on it. For your own server, ' +
      '[@svc/sdk/server](sdk-server.md) is easier to use.',
    types: 'packages/sdk/dist/developer.d.ts',
    parts: [
      {
        title: 'createDeveloperClient',
        of: ['createDeveloperClient'],
        with: ['DeveloperOptions', 'ClientOptions'],
      },
      { title: 'developer', of: ['DeveloperClient'] },
      { title: 'createSecretKeyClient', of: ['createSecretKeyClient'], with: ['SecretKeyOptions'] },
      { title: 'environment', of: ['SecretKeyClient'] },
      { title: 'addressOf', of: ['addressOf'] },
      { title: 'SvcError', of: ['SvcError'], as: 'error', with: ['isSvcError'] },
    ],
    partTypes: { DeveloperClient: 'developer', SecretKeyClient: 'environment' },
  },
]
