import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Environment } from '../../../platform/environment.ts'
import type { FunctionCode, FunctionsSpec } from '../../../platform/ports/functions-engine.ts'
import { codeOf, loadCode } from '../deployments/code.ts'
import type { Manifest } from '../deployments/manifest.ts'
import { type Blobs, secretId, type Secrets } from '../ports.ts'
import { isRunnable, type State } from '../states.ts'
import type { FunctionsRow, FunctionsStore } from '../store.ts'

type SpecDeps = {
  blobs: Pick<Blobs, 'open' | 'missing'>
  secrets: Pick<Secrets, 'read'>
  /** The service listens on the loopback only: then code of development may call this machine. */
  isLocal: boolean
  /** The developer who owns a project. */
  ownerOf(projectId: string): Promise<string | undefined>
  /** Answers a call of `env.SVC`. */
  callService(environment: Environment, request: IncomingMessage, response: ServerResponse): void
}
export type Specs = ReturnType<typeof createSpecs>

/** All that the engine needs to run the functions of an environment. */
export function createSpecs(
  store: FunctionsStore,
  { blobs, secrets, isLocal, ownerOf, callService }: SpecDeps,
) {
  async function secretsOf(environmentId: string): Promise<Record<string, string>> {
    const values: Record<string, string> = {}
    for (const { name } of await store.secrets(environmentId)) {
      const value = await secrets.read(secretId(environmentId, name))
      if (value !== undefined) values[name] = value
    }
    return values
  }

  const specWith = async (
    environment: Environment,
    { dataId, cpuMs, subRequests }: FunctionsRow,
    code: FunctionCode | null,
  ): Promise<FunctionsSpec> => ({
    environmentId: environment.id,
    developerId: (await ownerOf(environment.projectId)) ?? null,
    dataId,
    code,
    limits: { cpuMs, subRequests },
    secrets: code ? await secretsOf(environment.id) : {},
    allowLoopback: isLocal && environment.name === 'development',
    onServiceCall: (request, response) => callService(environment, request, response),
  })

  return {
    /** For a trial. */
    withCode: specWith,
    /** Without code where none may run: databases can be queried all the same. */
    async current(environment: Environment, state: State): Promise<FunctionsSpec> {
      if (!isRunnable(state)) return specWith(environment, state, null)
      const { blobKey, manifest } = state.live
      return specWith(environment, state, codeOf(manifest, await loadCode(blobs, blobKey)))
    },

    /** Of a version that may not be the live one, with the secrets and limits of now. */
    async ofVersion(
      environment: Environment,
      row: FunctionsRow,
      { blobKey, manifest }: { blobKey: string; manifest: Manifest },
    ) {
      const code = codeOf(manifest, await loadCode(blobs, blobKey))
      const { secrets: all, ...spec } = await specWith(environment, row, code)
      // A newer secret may have the name of something in an older version.
      const taken = new Set([...manifest.bindings.map(({ name }) => name), ...Object.keys(manifest.vars)])
      const secretsLeft = Object.fromEntries(Object.entries(all).filter(([name]) => !taken.has(name)))
      return { ...spec, code, secrets: secretsLeft }
    },
  }
}
