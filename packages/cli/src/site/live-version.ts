import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { DeployedFile } from '@svc/contract/hosting'

import type { Context } from '../context.ts'
import { ignoring } from '../output/failure.ts'

export type LiveVersion = { version: number; message: string | null; files: DeployedFile[] }

/** The version that is live in an environment, with its files; undefined if there is none. */
export async function liveVersion(
  { calls }: Context,
  env: EnvironmentName,
): Promise<LiveVersion | undefined> {
  const { live } = await calls.admin('readHosting', {}, { env })
  if (!live) return undefined
  const request = { params: { ref: live.deploymentId } }
  const { deployment, files } = await calls.admin('readDeployment', request, { env })
  return { version: live.version, message: deployment.message, files }
}

/** The same; undefined also where hosting is off. */
export const liveVersionIfHosted = (context: Context, env: EnvironmentName) =>
  liveVersion(context, env).catch(ignoring('feature_disabled'))
