import { type Environment, hostLabel } from '../../platform/environment.ts'
import type { AppAddress } from './ports.ts'

export type Addresses = ReturnType<typeof createAddresses>

/** The URLs of links, their pages and their pictures. */
export function createAddresses({ baseUrl }: { baseUrl: string }) {
  const images = (environment: Environment) => `${baseUrl}/v1/share/images/${hostLabel(environment)}`

  return {
    defaultCard: (environment: Environment) => `${images(environment)}/card.png`,
    linkCard: (environment: Environment, shareId: string) => `${images(environment)}/${shareId}.png`,
    /** The page for crawlers and people; null while the app is not hosted here. */
    sharePage: ({ origin }: AppAddress, shareId: string): string | null =>
      origin === undefined ? null : `${origin}/.share/${shareId}`,
    /** A file of the deployment; null while the app is not hosted here. */
    deployedFile: ({ origin }: AppAddress, path: string): string | null =>
      origin === undefined ? null : `${origin}/${path.split('/').map(encodeURIComponent).join('/')}`,
  }
}
