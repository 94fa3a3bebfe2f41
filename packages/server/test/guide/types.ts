import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Snippet } from '../../../../scripts/snippets.ts'
import { NAMES } from '../../../sdk/test/example-setups.ts'
import { createInstalledProject, IN_A_PAGE } from '../../../sdk/test/installed-project.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/**
 * What a page of the guide may use without defining it. Libraries that are no dependency of ours have no types: everything that is
 * imported from them is `any`, so that the calls of the SDK beside them are still checked.
 */
const AMBIENT = `
declare module 'phaser' {
  const Phaser: any
  namespace Phaser.GameObjects { type Sprite = any }
  export default Phaser
}
declare module 'three' {
  ${['BoxGeometry', 'Camera', 'Mesh', 'MeshNormalMaterial', 'Scene', 'Vector3'].map((name) => `export type ${name} = any; export const ${name}: any`).join('\n  ')}
}
declare module 'svelte'
declare module '*.svelte'
interface ImportMeta { env: { DEV: boolean; VITE_SVC_URL: string; VITE_SVC_DEVELOPMENT_PUBLISHABLE_KEY: string } }
declare function $state<T>(value: T): T
declare function $state<T>(): T | undefined
`

const OPTIONS = {
  ...IN_A_PAGE,
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  noUncheckedIndexedAccess: false,
  exactOptionalPropertyTypes: false,
  noUnusedParameters: false,
  module: 'ESNext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  jsx: 'react-jsx',
  // Preact offers the names and the types of React.
  paths: {
    '/.svc/sdk.js': ['./node_modules/@svc/sdk/dist/sdk.d.ts'],
    '/.svc/sdk-ui.js': ['./node_modules/@svc/sdk/dist/sdk-ui.d.ts'],
    react: [join(ROOT, 'node_modules/preact/compat')],
    'react/jsx-runtime': [join(ROOT, 'node_modules/preact/jsx-runtime')],
  },
}

export type TypedBlock = Snippet & { page: string }

/** The type errors of blocks, by page and line, from one run of the compiler. */
export async function typeProblems(blocks: readonly TypedBlock[]): Promise<string[]> {
  const sources = new Map<string, string[]>()
  for (const block of blocks) {
    const isReplaced = /[./]/.test(block.how) && sources.has(fileOf(block))
    const file = isReplaced ? join(`again_${block.line}`, fileOf(block)) : fileOf(block)
    sources.set(file, added(sources.get(file) ?? [], block))
  }
  return errorsIn(sources, { 'ambient.d.ts': AMBIENT })
}

/**
 * The same for JavaScript of READMEs and of docs/sdk.md that is not run. Each block is a module that may use `svc`, `room` and the other
 * names of the examples in the SDK.
 */
export async function sampleProblems(blocks: readonly TypedBlock[]): Promise<string[]> {
  const sources = new Map(
    blocks.map((block) => [`${fileOf(block)}_${block.line}.ts`, added([], block)] as const),
  )
  const errors = await errorsIn(sources, {
    'names.ts': NAMES,
    'more-names.d.ts': 'declare const url: string',
  })
  // JavaScript has no `as const`: a text in a variable is then any text to the compiler.
  return errors.filter((error) => !/TS(?:2322|2345):/.test(error))
}

/** A line of the file is the same line of the page. */
function added(lines: readonly string[], block: TypedBlock): string[] {
  const blank = Array.from({ length: block.line - 1 - lines.length }, () => '')
  return [...lines, ...blank, ...codeOf(block).trimEnd().split('\n')]
}

async function errorsIn(
  sources: ReadonlyMap<string, string[]>,
  ambient: Record<string, string>,
): Promise<string[]> {
  const project = await createInstalledProject()
  try {
    for (const file of sources.keys()) await mkdir(dirname(join(project.folder, file)), { recursive: true })
    const modules = [...sources].map(([file, lines]) => [file, `${lines.join('\n')}\nexport {}\n`])
    const output = await project.typeErrors({ ...ambient, ...Object.fromEntries(modules) }, OPTIONS)
    // The lines of an error after its first are indented.
    const errors = output.join('\n').split(/\n(?! )/)
    return errors.filter((error) => error !== '').map((error) => error.replace(/^.*svc-installed-\w+\//, ''))
  } finally {
    await project.remove()
  }
}

/** Blocks without a file name continue each other. */
function fileOf({ page, how, language }: TypedBlock): string {
  const folder = page.replaceAll(/[/.]/g, '_')
  if (!/[./]/.test(how)) return join(folder, `blocks.${language}`)
  return join(folder, language === 'svelte' ? `${how}.ts` : how)
}

/** Only the script of a Svelte component has types without its compiler. */
const codeOf = ({ language, text }: TypedBlock): string => {
  if (language !== 'svelte') return text
  const [, before = '', script = ''] = /^([\s\S]*?<script[^>]*>)([\s\S]*?)<\/script>/.exec(text) ?? []
  return before.replaceAll(/[^\n]/g, '') + script
}
