import type { Turn } from '../../platform/ports/turn.ts'
import { openCoturn } from './coturn.ts'
import { openManaged } from './managed.ts'
import type { TurnOptions, TurnSettings } from './turn.ts'

/** The TURN engine that the settings choose. */
export async function openTurn(settings: TurnSettings, options: TurnOptions): Promise<Turn> {
  switch (settings.provider) {
    case 'embedded':
      return (await import('./embedded/embedded.ts')).openEmbedded(settings, options)
    case 'coturn':
      return openCoturn(settings, options.clock)
    case 'cloudflare':
    case 'twilio':
      return openManaged(settings, options)
    case 'none':
      return { isOfOneNode: false, iceServers: async () => undefined, close: async () => {} }
  }
}
