import type { Cards } from './cards.ts'
import { fontProblem } from './font-coverage.ts'
import { backgroundProblem } from './image-header.ts'
import { plainCard } from './plain-card.ts'

/** Draws nothing: every card is the fallback picture. */
export const openOff = (): Cards => ({
  draw: async () => ({ isDrawn: false, png: plainCard(), problems: [], reason: 'off' }),
  plain: plainCard,
  backgroundProblem,
  fontProblem,
  close: async () => {},
})
