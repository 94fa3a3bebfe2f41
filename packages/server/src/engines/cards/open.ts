import type { Cards, CardSettings } from './cards.ts'
import { openOff } from './off.ts'

/** The card engine that the settings choose. */
export async function openCards(settings: CardSettings): Promise<Cards> {
  switch (settings.driver) {
    case 'off':
      return openOff()
  }
}
