import { join } from 'node:path'

/** Defined by the build (`scripts/build.ts`). Sources have no such constant. */
declare const BUILT: true | undefined

const folder = import.meta.dirname
const isBuilt = typeof BUILT !== 'undefined'
const source = (path: string) => join(folder, '..', path)
const built = (path: string) => join(folder, path)

/**
 * Where the files are that the service reads or starts besides the modules that it imports. The only file that knows this, for the sources
 * and for the build.
 */
export const OWN_FILES = isBuilt
  ? {
      manifest: built('../package.json'),
      docs: built('docs'),
      dashboard: built('dashboard'),
      packages: built('packages'),
      // The build of a checkout is in `node_modules/.cache/server/<version>`, and has no packages.
      currentPackages: built('../../../../../scripts/build/current-packages.js'),
      sdk: built('sdk'),
      fonts: built('fonts'),
      workers: { folder: built('workers'), extension: '.js' },
      roomRuntime: { folder: built('workers/room'), extension: '.js' },
      sqliteCheckpoints: built('checkpoints-worker.js'),
      sqliteScans: built('scans-worker.js'),
      walShipping: built('ship-worker.js'),
      drawing: built('takumi-process.js'),
      launcher: built('launcher-process.js'),
      egress: built('egress-process.js'),
      backup: built('backup-process.js'),
      relayServer: built('relay/main.js'),
      relayServerReads: [built('relay')],
    }
  : {
      manifest: source('../package.json'),
      docs: source('../../../docs'),
      dashboard: source('../../dashboard/dist'),
      packages: source('../dist/packages'),
      currentPackages: source('../../../scripts/build/current-packages.js'),
      sdk: source('../../sdk/dist'),
      fonts: source('engines/cards/fonts'),
      workers: { folder: source('engines/functions/workerd/workers'), extension: '.ts' },
      roomRuntime: { folder: source('../../sdk/src/room'), extension: '.ts' },
      sqliteCheckpoints: source('engines/database/sqlite/checkpoints-worker.ts'),
      sqliteScans: source('engines/database/sqlite/scans-worker.ts'),
      walShipping: source('operator/backup/wal/ship-worker.ts'),
      drawing: source('engines/cards/takumi-process.ts'),
      launcher: source('engines/functions/workerd/process/launcher-process.ts'),
      egress: source('engines/functions/workerd/network/egress-process.ts'),
      backup: source('operator/backup/backup-process.ts'),
      relayServer: source('engines/sfu/child/main.ts'),
      relayServerReads: [source('engines/sfu'), source('platform')],
    }
