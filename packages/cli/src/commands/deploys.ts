import type { CommandGroup } from '../command-line/command-group.ts'
import { limit } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { bytesText, timeText } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc deploys` and `svc rollback`. */
export function addVersionCommands(program: CommandGroup) {
  program.command('deploys', 'list deployed versions', showDeploys, { limit })
  program.command(
    'rollback [version]',
    'activate an older version: the given one, or the one that was live before',
    rollBack,
  )
}

const HISTORY_MAX = 100

async function showDeploys({ calls, out, env }: Context, { limit }: { limit?: number }) {
  const { deployments } = await calls.admin('listDeployments', { query: withoutUndefined({ limit }) })
  out.table(
    ['', 'VERSION', 'FILES', 'SIZE', 'CREATED', 'WENT LIVE', 'MESSAGE'],
    deployments.map((one) => [
      one.live ? '●' : '',
      `v${one.version}`,
      String(one.fileCount),
      bytesText(one.totalBytes),
      timeText(one.createdAt),
      one.status === 'uploading' ? '(not finished)' : timeText(one.activatedAt),
      one.message ?? '',
    ]),
    `No version in ${env} yet. Create one: svc deploy`,
  )
  return { deployments }
}

/** Activates the given version, or the newest older one that has been live. */
async function rollBack({ calls, out, env }: Context, _options: object, version?: string) {
  const query = { limit: HISTORY_MAX }
  const { deployments } = await calls.admin('listDeployments', { query })
  const live = deployments.find((one) => one.live)
  const before = deployments.find((one) => live && one.version < live.version && one.activatedAt !== null)
  const ref = version?.replace(/^v(?=\d)/, '') ?? before?.version
  if (ref === undefined) {
    throw new Failure('failed', `There is no earlier live version in ${env}.`, {
      fix: 'List the versions with: svc deploys',
    })
  }
  const request = { params: { ref: String(ref) } }
  const now = await calls.admin('activateDeployment', request)
  const again = deployments.find(({ version: one }) => one === now.version)?.activatedAt ? ' again' : ''
  const was = live && live.version !== now.version ? ` (was v${live.version})` : ''
  out.done(`v${now.version} is live${again}${was}   ${now.url}`)
  return { ...now, previousVersion: live?.version ?? null }
}
