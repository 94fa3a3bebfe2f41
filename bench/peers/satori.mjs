// Draws cards with satori and resvg, in a process like that of the service: one card at a time over IPC, and it ends with the bench.
import { readFileSync } from 'node:fs'

import { Resvg } from '@resvg/resvg-js'
import satori from 'satori'

const SIZE = { width: 1200, height: 600 }

// The files of the service, in a format that satori reads.
const fonts = [400, 700].map((weight) => ({
  name: 'Inter',
  weight,
  data: readFileSync(
    new URL(import.meta.resolve(`@fontsource/inter/files/inter-latin-${weight}-normal.woff`)),
  ),
}))

/** The layout of the service, as elements of satori. Neither `textFit` nor `dir` exists there; the cards of the bench need none. */
function elementOf({ text, style, children = [] }) {
  const known = { boxSizing: 'border-box', ...style, textFit: undefined }
  return { type: 'div', props: { style: known, children: text ?? children.map(elementOf) } }
}

process.on('disconnect', () => process.exit())
process.on('message', (layout) => void draw(layout))

async function draw(layout) {
  const svg = await satori(elementOf(layout), { ...SIZE, fonts })
  process.send({ png: new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng() })
}
