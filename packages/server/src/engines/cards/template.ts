import type { Node } from '@takumi-rs/core'

import { type Card, CARD_SIZE, type CardTheme } from './cards.ts'
import type { Coverage } from './font-coverage.ts'
import { beatMe, scoreText } from './score-text.ts'
import { isRightToLeft, lineOf } from './text.ts'

/** The name under which the background is passed to the renderer. */
export const BACKGROUND_SRC = 'background'

const TITLE_GRAPHEMES_MAX = 60
const NAME_GRAPHEMES_MAX = 24
const MARGIN = 80
const MARGIN_TOP = 68
/** Social networks show the URL or title of the page over the lower edge of the picture. */
const MARGIN_BOTTOM = 104
/** Longer titles are drawn smaller, on more lines. */
const LONG_TITLE = 26
const VEIL_OPACITY = 0.55

type Style = NonNullable<Node['style']>

/** The lines of a card. An empty one is left out. */
export type Lines = { title: string; label: string; large: string; name: string }

/** The text of a card, without characters that these fonts cannot draw. */
export function linesOf(
  { kind, title, score, displayName, language }: Omit<Card, 'background' | 'font'>,
  fonts: readonly Coverage[],
): Lines {
  const hasScore = (kind === 'score' || kind === 'challenge') && score !== null
  return {
    title: lineOf(title, TITLE_GRAPHEMES_MAX, fonts),
    label: hasScore && kind === 'challenge' ? beatMe(language, fonts) : '',
    large: hasScore ? scoreText(score, language, fonts) : '',
    name: lineOf(displayName, NAME_GRAPHEMES_MAX, fonts),
  }
}

/** Template version 1: title, then the score, then the name; without a score the title is the large line. */
export function layoutOf(lines: Lines, theme: CardTheme, hasBackground: boolean): Node {
  const isRtl = isRightToLeft(lines.title || lines.name)
  return {
    type: 'container',
    style: {
      ...CARD_SIZE,
      display: 'flex',
      position: 'relative',
      backgroundColor: theme.background,
      color: theme.text,
    },
    children: [
      ...(hasBackground ? [picture, veil(theme)] : []),
      edge(theme, isRtl ? 'right' : 'left'),
      {
        type: 'container',
        dir: isRtl ? 'rtl' : 'ltr',
        style: {
          // Positioned, because otherwise the positioned picture would cover it.
          position: 'relative',
          display: 'flex',
          flexDirection: 'column',
          alignItems: 'flex-start',
          justifyContent: 'center',
          width: '100%',
          height: '100%',
          padding: `${MARGIN_TOP}px ${MARGIN}px ${MARGIN_BOTTOM}px`,
        },
        children: lines.large === '' ? withoutScore(lines) : withScore(lines, theme, isRtl),
      },
    ],
  }
}

function withScore({ title, label, large, name }: Lines, theme: CardTheme, isRtl: boolean): Node[] {
  const pill: Style = {
    flexShrink: 0,
    fontSize: 40,
    fontWeight: 700,
    lineHeight: 1.2,
    padding: '10px 30px',
    borderRadius: 40,
    backgroundColor: theme.accent,
    color: readableOn(theme.accent, [theme.background, theme.text]),
  }
  const score: Style = {
    width: '100%',
    fontSize: 216,
    fontWeight: 700,
    lineHeight: 1.1,
    letterSpacing: '-0.03em',
    // Digits have no direction, so the alignment must be set.
    textAlign: isRtl ? 'right' : 'left',
    whiteSpace: 'nowrap',
    textFit: 'shrink',
    color: theme.accent,
  }
  return [
    {
      type: 'container',
      style: {
        display: 'flex',
        alignItems: 'center',
        justifyContent: 'space-between',
        gap: 40,
        width: '100%',
        height: 100,
      },
      children: [
        ...line(
          title,
          title.length > LONG_TITLE
            ? { fontSize: 40, fontWeight: 700, ...clampedTo(2) }
            : { fontSize: 56, fontWeight: 700, ...clampedTo(1) },
        ),
        ...line(label, pill),
      ],
    },
    {
      type: 'container',
      style: { display: 'flex', flexGrow: 1, alignItems: 'center', width: '100%' },
      children: line(large, score),
    },
    {
      type: 'container',
      style: { display: 'flex', width: '100%', height: 60 },
      children: line(name, { fontSize: 48, ...clampedTo(1) }),
    },
  ]
}

const withoutScore = ({ title, name }: Lines): Node[] => [
  ...line(title, {
    fontSize: title.length > LONG_TITLE ? 84 : 112,
    fontWeight: 700,
    letterSpacing: '-0.02em',
    ...clampedTo(3),
  }),
  ...line(name, { fontSize: 48, marginTop: title ? 20 : 0, ...clampedTo(1) }),
]

function line(text: string, style: Style): Node[] {
  return text === '' ? [] : [{ type: 'text', text, dir: isRightToLeft(text) ? 'rtl' : 'ltr', style }]
}

/** The line height includes descenders, because everything outside of it is clipped. */
const clampedTo = (lines: number): Style => ({
  maxWidth: '100%',
  minWidth: 0,
  lineHeight: 1.25,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  ...(lines === 1 ? { whiteSpace: 'nowrap' } : { lineClamp: lines, wordBreak: 'break-word' }),
})

/** A stripe in the accent color, on the side where lines begin. */
const edge = ({ accent }: CardTheme, side: 'left' | 'right'): Node => ({
  type: 'container',
  style: { position: 'absolute', top: 0, [side]: 0, width: 16, height: '100%', backgroundColor: accent },
})

const picture: Node = {
  type: 'image',
  src: BACKGROUND_SRC,
  style: { position: 'absolute', left: 0, top: 0, width: '100%', height: '100%', objectFit: 'cover' },
}

const veil = ({ background }: CardTheme): Node => ({
  type: 'container',
  style: {
    position: 'absolute',
    left: 0,
    top: 0,
    width: '100%',
    height: '100%',
    backgroundColor: background,
    opacity: VEIL_OPACITY,
  },
})

/** The color with the higher contrast (WCAG) on a background. */
function readableOn(background: string, colors: readonly [string, ...string[]]): string {
  const below = luminance(background)
  const contrast = (color: string) => {
    const [darker = 0, lighter = 0] = [below, luminance(color)].toSorted((one, other) => one - other)
    return (lighter + 0.05) / (darker + 0.05)
  }
  return colors.reduce((best, color) => (contrast(color) > contrast(best) ? color : best))
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
