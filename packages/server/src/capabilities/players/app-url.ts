import type { Environment } from '../../platform/environment.ts'

export type AppUrlDeps = {
  /** The origin of the app if it is hosted here. */
  hostedOriginOf(environment: Environment): Promise<string | undefined>
  allowedOrigins(environmentId: string): Promise<readonly string[]>
}

/** The URL of the app of an environment: hosted here, or the first allowed origin without a wildcard. */
export const createAppUrl =
  ({ hostedOriginOf, allowedOrigins }: AppUrlDeps) =>
  async (environment: Environment): Promise<string | undefined> => {
    const hosted = await hostedOriginOf(environment)
    if (hosted) return `${hosted}/`
    const isWebAddress = (allowed: string) => /^https?:/.test(allowed) && !allowed.includes('*')
    const origin = (await allowedOrigins(environment.id)).find(isWebAddress)
    return origin && `${origin}/`
  }
