import { LIMITS } from '@svc/contract/common/limits'
import type { Actor } from '@svc/contract/common/schemas'
import type { FunctionSecret } from '@svc/contract/functions'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Changes } from './changes.ts'
import { secretId, type Secrets } from './ports.ts'
import { manifestOf } from './states.ts'
import type { FunctionsStore } from './store.ts'

type SecretDeps = { secrets: Secrets; change: Changes; clock: Clock }
export type FunctionSecrets = ReturnType<typeof createFunctionSecrets>

/** Values that only the running code reads: stored encrypted, never returned. */
export function createFunctionSecrets(store: FunctionsStore, { secrets, change, clock }: SecretDeps) {
  async function requireFree(
    { version }: Pick<FunctionsStore, 'version'>,
    environmentId: string,
    name: string,
    liveId: string | null,
  ) {
    if (name === 'SVC') throw invalidField('$.name', 'is the name of the service in `env`')
    const live = liveId === null ? undefined : await version(environmentId, liveId)
    if (!live) return
    const { bindings, vars } = manifestOf(live)
    if (Object.hasOwn(vars, name) || bindings.some((binding) => binding.name === name))
      throw invalidField('$.name', 'is the name of a binding or var of the live version')
  }

  return {
    list: async ({ id }: Environment) => ({ secrets: await store.secrets(id) }),

    async read({ id }: Environment, name: string): Promise<FunctionSecret> {
      const secret = await store.secret(id, name)
      if (!secret) throw new ApiError('secret_not_found')
      return secret
    },

    async write(
      environment: Environment,
      actor: Actor,
      name: string,
      value: string,
    ): Promise<FunctionSecret> {
      const { id: environmentId } = environment
      if (Buffer.byteLength(value) > LIMITS.functionsTextBytesMax)
        throw invalidField('$.value', `must have at most ${LIMITS.functionsTextBytesMax} bytes`)
      // It becomes an environment variable.
      if (value.includes('\0')) throw invalidField('$.value', 'must not contain the character U+0000')
      const updatedAt = timestamp(clock)
      await change(environment, actor, async (mine, transaction) => {
        const row = await mine.find(environmentId)
        if (!row || row.enabledAt === null) throw new ApiError('functions_disabled')
        await requireFree(mine, environmentId, name, row.liveVersionId)
        const known = await mine.secrets(environmentId)
        const isNew = !known.some((secret) => secret.name === name)
        if (isNew && known.length >= LIMITS.functionsSecretsMax)
          throw new ApiError('too_many_secrets', { limit: LIMITS.functionsSecretsMax })
        await secrets.write(transaction, secretId(environmentId, name), value)
        await mine.writeSecret({ environmentId, name, updatedAt })
        return { row, action: 'functions.secret_set', target: name }
      })
      return { name, updatedAt }
    },

    async remove(environment: Environment, actor: Actor, name: string): Promise<{ deleted: true }> {
      const { id: environmentId } = environment
      await change(environment, actor, async (mine, transaction) => {
        if ((await mine.removeSecret(environmentId, name)) === 0) throw new ApiError('secret_not_found')
        await secrets.remove(transaction, secretId(environmentId, name))
        const row = await mine.find(environmentId)
        return { ...(row && { row }), action: 'functions.secret_delete', target: name }
      })
      return { deleted: true }
    },
  }
}
