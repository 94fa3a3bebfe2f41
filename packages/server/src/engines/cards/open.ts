import type { Cards, CardSettings } from './cards.ts'
import { openOff } from './off.ts'

/** The card engine that the settings choose. It starts nothing before the first card. */
export async function openCards(settings: CardSettings, log: (line: string) => void): Promise<Cards> {
  switch (settings.driver) {
    case 'takumi':
      return (await import('./takumi.ts')).openTakumi({ log })
    case 'off':
      return openOff()
  }
}
