import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { buildSync } from 'esbuild'

/** Builds the SDK for pages: one minified module per entry, without dependencies. The service serves them below `/.svc/`. */
export const SDK_FILES = {
  'sdk.js': { entry: 'index.ts', file: 'packages/sdk/dist/sdk.js' },
  'sdk-account.js': { entry: 'session/account.ts', file: 'packages/sdk/dist/sdk-account.js' },
  'sdk-voice.js': { entry: 'voice/voice.ts', file: 'packages/sdk/dist/sdk-voice.js' },
  'sdk-p2p.js': { entry: 'realtime/p2p.ts', file: 'packages/sdk/dist/sdk-p2p.js' },
  'sdk-share.js': { entry: 'share/share-tools.ts', file: 'packages/sdk/dist/sdk-share.js' },
  'sdk-leaderboards.js': {
    entry: 'data/leaderboard-tools.ts',
    file: 'packages/sdk/dist/sdk-leaderboards.js',
  },
  'sdk-stats.js': { entry: 'data/report-tools.ts', file: 'packages/sdk/dist/sdk-stats.js' },
  'sdk-channels.js': { entry: 'realtime/channels.ts', file: 'packages/sdk/dist/sdk-channels.js' },
  'sdk-rooms.js': { entry: 'code-rooms/code-room.ts', file: 'packages/sdk/dist/sdk-rooms.js' },
  'sdk-embedded.js': { entry: 'session/embedded-storage.ts', file: 'packages/sdk/dist/sdk-embedded.js' },
  'sdk-lease.js': { entry: 'session/lease.ts', file: 'packages/sdk/dist/sdk-lease.js' },
  'sdk-ui.js': { entry: 'ui/ui.ts', file: 'packages/sdk/dist/sdk-ui.js' },
} as const

/** The modules that are loaded later are next to `sdk.js`, under the names by which they are served. */
const LOADED_LATER = Object.entries(SDK_FILES).filter(([name]) => name !== 'sdk.js')

/** Entries of the package that no page of the service loads: `@svc/sdk/server`, `/developer`, `/room` and `/room/test`. */
export const SDK_PACKAGE_FILES = {
  'server.js': { entry: 'server/server.ts', file: 'packages/sdk/dist/server.js' },
  'developer.js': { entry: 'developer/developer.ts', file: 'packages/sdk/dist/developer.js' },
  'room.js': { entry: 'room/room.ts', file: 'packages/sdk/dist/room.js' },
  'room-test.js': { entry: 'room/test.ts', file: 'packages/sdk/dist/room-test.js' },
} as const

/** Maximum gzip size of what a page loads that uses neither accounts, channels, voice, peer-to-peer rooms, sharing nor leaderboards. */
export const SDK_GZIP_BYTES_MAX = 16 * 1024

const root = join(import.meta.dirname, '..')
export const NOTE = '/* Built by `npm run build`. */'

/** Path → contents. */
export function sdkFiles(): [path: string, text: string][] {
  return [...Object.values(SDK_FILES), ...Object.values(SDK_PACKAGE_FILES)].map(({ entry, file }) => [
    file,
    bundle(entry),
  ])
}

export const gzipBytes = (text: string): number => gzipSync(text, { level: 9 }).length

function bundle(entry: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'packages/sdk/src', entry)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    external: LOADED_LATER.map(([, later]) => `*/${basename(later.entry)}`),
    write: false,
    banner: { js: NOTE },
  })
  let text = outputFiles[0]?.text ?? ''
  for (const [name, later] of LOADED_LATER)
    text = text.replace(new RegExp(`"[./\\w-]*/${basename(later.entry)}"`, 'g'), `"./${name}"`)
  return text
}
