import { type Environment, hostLabel } from '../../platform/environment.ts'

export type AddressDeps = {
  baseUrl: string
  /** The origin of the app while a version of it is live here. */
  hostedOriginOf(environment: Environment): Promise<string | undefined>
  /** The URL of the app, if it is known; ends with a slash. */
  urlOf(environment: Environment): Promise<string | undefined>
}
export type Addresses = ReturnType<typeof createAddresses>

/** The URLs of links, their pages and their pictures. */
export function createAddresses({ baseUrl, hostedOriginOf, urlOf }: AddressDeps) {
  const images = (environment: Environment) => `${baseUrl}/v1/share/images/${hostLabel(environment)}`

  return {
    app: urlOf,
    defaultCard: (environment: Environment) => `${images(environment)}/card.png`,
    linkCard: (environment: Environment, shareId: string) => `${images(environment)}/${shareId}.png`,
    /** The page for crawlers and people; null while the app is not hosted here. */
    async sharePage(environment: Environment, shareId: string): Promise<string | null> {
      const origin = await hostedOriginOf(environment)
      return origin === undefined ? null : `${origin}/.share/${shareId}`
    },
    /** A file of the deployment; null while the app is not hosted here. */
    async deployedFile(environment: Environment, path: string): Promise<string | null> {
      const origin = await hostedOriginOf(environment)
      return origin === undefined ? null : `${origin}/${path.split('/').map(encodeURIComponent).join('/')}`
    },
  }
}
