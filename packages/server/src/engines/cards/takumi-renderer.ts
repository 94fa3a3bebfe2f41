import { Renderer } from '@takumi-rs/core'

import { type Card, CARD_SIZE, type CardProblem } from './cards.ts'
import { coverageOf, fontProblem } from './font-coverage.ts'
import { backgroundProblem } from './image-header.ts'
import { INTER, interCoverage, interFonts, type Subset, subsetsFor } from './inter.ts'
import { BACKGROUND_SRC, layoutOf, linesOf } from './template.ts'

const CARD_FONT = 'card-font'

type Fonts = {
  renderer: Renderer
  /** The subsets of the built-in font that the renderer has. */
  registered: Set<Subset>
  coverages: (typeof interCoverage)[]
  families: string[]
}
/** A card with the bytes of its files. */
export type CardToRender = Omit<Card, 'background' | 'font'> & {
  background: Uint8Array | null
  font: Uint8Array | null
}
type Rendered = { png: Uint8Array; problems: CardProblem[] }

/** Draws cards in this process. A background or font that cannot be used is left out and reported. */
export function createRenderer() {
  const builtIn = openFonts(null)
  let latest: { font: Uint8Array; fonts: Promise<Fonts | undefined> } | undefined

  /** Many cards of one app follow each other: its font is read once. */
  function withFont(font: Uint8Array) {
    if (latest?.font !== font) latest = { font, fonts: openFonts(font).catch(() => undefined) }
    return latest.fonts
  }

  async function fontsFor(font: Uint8Array | null, problems: CardProblem[]): Promise<Fonts> {
    if (!font) return requireFonts(await builtIn)
    const message = fontProblem(font)
    const fonts = message === undefined ? await withFont(font) : undefined
    if (fonts) return fonts
    problems.push({ file: 'font', message: message ?? 'cannot be read' })
    return requireFonts(await builtIn)
  }

  return {
    /** Resolves when the built-in font is loaded, even if that failed: then each card fails. */
    ready: builtIn.then(
      () => {},
      () => {},
    ),

    async render(card: CardToRender): Promise<Rendered> {
      const problems: CardProblem[] = []
      const fonts = await fontsFor(card.font, problems)
      const message = card.background && backgroundProblem(card.background)
      if (message) problems.push({ file: 'background', message })
      if (!card.background || message) return { png: await renderWith(fonts, card, null), problems }
      try {
        return { png: await renderWith(fonts, card, card.background), problems }
      } catch {
        problems.push({ file: 'background', message: 'cannot be read' })
        return { png: await renderWith(fonts, card, null), problems }
      }
    },
  }
}

async function renderWith(fonts: Fonts, card: CardToRender, background: Uint8Array | null) {
  const lines = linesOf(card, fonts.coverages)
  await registerInter(fonts, Object.values(lines).join(''))
  return fonts.renderer.render(layoutOf(lines, card.theme, background !== null), {
    ...CARD_SIZE,
    format: 'png',
    fontFamilies: fonts.families,
    ...(background && { images: [{ src: BACKGROUND_SRC, data: background, cache: 'none' }] }),
  })
}

async function registerInter({ renderer, registered }: Pick<Fonts, 'renderer' | 'registered'>, text: string) {
  for (const subset of subsetsFor(text)) {
    if (registered.has(subset)) continue
    await Promise.all(interFonts(subset).map((file) => renderer.registerFont(file)))
    registered.add(subset)
  }
}

/** Undefined if the renderer finds no family in the font: damaged fonts are often accepted without an error. */
async function openFonts(font: Uint8Array | null): Promise<Fonts | undefined> {
  const renderer = new Renderer({ cacheMaxBytes: 0 })
  const inter: Fonts = { renderer, registered: new Set(), coverages: [interCoverage], families: [INTER] }
  await registerInter(inter, '')
  if (!font) return inter

  const coverage = coverageOf(font)
  const families = await renderer.registerFont({ name: CARD_FONT, data: font })
  if (!coverage || !families.some(({ faces }) => faces.length > 0)) return undefined
  return {
    ...inter,
    coverages: [coverage, ...inter.coverages],
    families: [CARD_FONT, ...inter.families],
  }
}

function requireFonts(fonts: Fonts | undefined): Fonts {
  if (!fonts) throw new Error('the built-in font cannot be read')
  return fonts
}
