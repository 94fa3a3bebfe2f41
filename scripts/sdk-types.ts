import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'

import { NOTE } from './build-sdk.ts'
import { type Declaration, type Exports, MARK, readModule, returnedBy } from './declarations.ts'

/**
 * Builds the type declarations of the SDK for projects that installed it: one file per entry, which needs no other package and no
 * compiler option. The declarations that `tsc` emits for each source are bundled under their own names. Types of the contract,
 * which are computed from schemas, are expanded.
 */

const root = join(import.meta.dirname, '..')
const SOURCES = join(root, 'packages/sdk/src')
const CONTRACT = '@svc/contract/'
const ENTRIES = {
  sdk: 'index.ts',
  ui: 'ui/ui.ts',
  server: 'server/server.ts',
  developer: 'developer/developer.ts',
  room: 'room/room.ts',
  roomTest: 'room/test.ts',
}

/** `RequestOf<typeof contract.signUpWithEmail>['body']` */
const COMPUTED = /«[^»]+»\w+<typeof «[^»]+»\w+>(?:\['\w+'\])?/g
/** The type expressions to expand. */
const SHAPE = /⟦(.*?)⟧/g
const MARK_OR_SHAPE = new RegExp(`${SHAPE.source}|${MARK.source}`, 'g')
const SHAPE_ONLY = /^const \S+: ([\s\S]*);$/
const OF_CONTRACT = new RegExp(`^type \\S+ = («${CONTRACT}[^»]+»\\w+);$`)
const RETURNED = /^type \S+ = (Awaited<)?ReturnType<typeof («[^»]+»\w+)>>?;$/

type Bundle = {
  exports: Exports
  /** Declarations of the file `takenFrom`: its classes must be imported, because a copy would be a different type. */
  taken: string[]
  takenFrom: string
  declarations: Map<string, Declaration>
}

/** Path → contents. */
export function sdkTypes(): [path: string, text: string][] {
  const entries = Object.values(ENTRIES).map((name) => join(SOURCES, name))
  const texts = emit(root, entries, 'packages/sdk/src')
  const modules = [...texts].map(([name, text]) => readModule(name.replace('.d.ts', '.ts'), text))
  const known = named(new Map(modules.flatMap(({ declarations }) => [...declarations])))
  const exportsOf = (name: string): Exports => modules.find(({ id }) => id === name)?.exports ?? new Map()

  const sdk = bundle(known, exportsOf(ENTRIES.sdk))
  const ui = bundle(known, exportsOf(ENTRIES.ui), sdk.exports)
  const server = bundle(known, exportsOf(ENTRIES.server))
  const developer = bundle(known, exportsOf(ENTRIES.developer))
  const room = bundle(known, exportsOf(ENTRIES.room))
  const roomTest = bundle(known, exportsOf(ENTRIES.roomTest), room.exports, './room.js')
  const shapes = writtenOut([sdk, ui, server, developer, room, roomTest])
  return [
    ['packages/sdk/dist/sdk.d.ts', print(sdk, shapes)],
    ['packages/sdk/dist/sdk-ui.d.ts', print(ui, shapes)],
    ['packages/sdk/dist/server.d.ts', print(server, shapes)],
    ['packages/sdk/dist/developer.d.ts', print(developer, shapes)],
    ['packages/sdk/dist/room.d.ts', print(room, shapes)],
    ['packages/sdk/dist/room-test.d.ts', print(roomTest, shapes)],
  ]
}

/** Uses the SDK's name for a type that has one: a type of the contract, or the return type of a function. */
function named(known: Map<string, Declaration>): Map<string, Declaration> {
  const ofContract = new Map<string, string>()
  for (const [mark, declaration] of known) {
    const [, same] = OF_CONTRACT.exec(declaration.text) ?? []
    if (same !== undefined) {
      ofContract.set(same, mark)
      declaration.text = `type ${mark} = ⟦${same}⟧;`
    }
    const [, isAwaited, makerMark = ''] = RETURNED.exec(declaration.text) ?? []
    const maker = known.get(makerMark)
    if (!maker) continue
    const { before, type } = returnedBy(maker)
    const own = isAwaited === undefined ? type : type.replace(/^Promise<([\s\S]*)>$/, '$1')
    declaration.text = `type ${mark} = ${own};`
    declaration.doc ||= maker.doc
    maker.text = `${before}${isAwaited === undefined ? mark : `Promise<${mark}>`};`
  }
  for (const declaration of known.values())
    declaration.text = declaration.text
      .replace(COMPUTED, '⟦$&⟧')
      .replace(MARK_OR_SHAPE, (found) => ofContract.get(found) ?? found)
  return known
}

/** All declarations that the exports depend on, each once. Declarations of `others` are imported from there. */
function bundle(
  known: Map<string, Declaration>,
  exports: Exports,
  others: Exports = new Map(),
  takenFrom = './sdk.js',
): Bundle {
  const elsewhere = new Set([...others.values()].map(({ mark }) => mark))
  const taken = new Set<string>()
  const declarations = new Map<string, Declaration>()
  const waiting = [...exports.values()].map(({ mark }) => mark)

  for (const mark of waiting) {
    if (elsewhere.has(mark)) taken.add(nameOf(mark))
    if (elsewhere.has(mark) || declarations.has(mark)) continue
    const declaration = known.get(mark) ?? ofContractOnly(mark)
    declarations.set(mark, declaration)
    for (const [needed] of declaration.text.replace(SHAPE, '').matchAll(MARK)) waiting.push(needed)
  }

  const names = [...declarations.keys()].map(nameOf)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`two types of the SDK are named ${twice}: rename one`)
  return { exports, taken: [...taken], takenFrom, declarations }
}

function ofContractOnly(mark: string): Declaration {
  if (!mark.startsWith(`«${CONTRACT}`)) throw new Error(`nothing is known of ${mark}`)
  return { doc: '', kind: 'type', text: `type ${mark} = ⟦${mark}⟧;` }
}

const nameOf = (mark: string) => mark.replace(/^«[^»]+»/, '')

/** Expands with the compiler: it prints a mapped type with all its members. */
function writtenOut(bundles: Bundle[]): Map<string, string> {
  const texts = bundles.flatMap(({ declarations }) => [...declarations.values()].map(({ text }) => text))
  const wanted = [...new Set(texts.flatMap((text) => [...text.matchAll(SHAPE)].map(([, type = '']) => type)))]
  const lines = wanted.map((type, at) => `export const shape${at} = plain<${type.replace(MARK, imported)}>()`)
  const plain = 'declare function plain<T>(): T extends infer O ? { [K in keyof O]: O[K] } : never'

  const folder = mkdtempSync(join(tmpdir(), 'svc-shapes-'))
  try {
    const file = join(folder, 'shapes.mts')
    writeFileSync(file, [plain, ...lines].join('\n'))
    const { root: everything } = parse(folder)
    const [text = ''] = emit(everything, [file], folder.slice(everything.length)).values()
    const { declarations } = readModule('shapes', text)
    return new Map(
      wanted.map((type, at) => [
        type,
        declarations.get(`«shapes»shape${at}`)?.text.replace(SHAPE_ONLY, '$1') ?? '',
      ]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function imported(_: string, module: string, name: string): string {
  const file = module.startsWith(CONTRACT)
    ? join(root, 'packages/contract/src', `${module.slice(CONTRACT.length)}.ts`)
    : join(SOURCES, module)
  return `import(${JSON.stringify(file)}).${name}`
}

function print({ exports, taken, takenFrom, declarations }: Bundle, shapes: Map<string, string>): string {
  const exported = new Map([...exports.values()].map(({ mark, isTypeOnly }) => [mark, isTypeOnly]))
  /** Classes that only the SDK may construct. */
  const typesOnly = [...declarations.keys()].filter(
    (mark) => exported.get(mark) === true && declarations.get(mark)?.kind === 'class',
  )
  const statements = [...declarations].map(([mark, { doc, kind, text }]) => {
    const before = exported.has(mark) && !typesOnly.includes(mark) ? 'export ' : ''
    const whole = text.replace(SHAPE, (_, type: string, offset: number) =>
      (shapes.get(type) ?? '').replaceAll('\n', `\n${indentAt(text, offset)}`),
    )
    return `${doc}${before}${kind === 'type' ? '' : 'declare '}${whole.replace(MARK, '$2')}`
  })
  return `${[
    NOTE,
    ...(taken.length > 0 ? [`import type { ${taken.toSorted().join(', ')} } from '${takenFrom}';`] : []),
    ...statements,
    ...(typesOnly.length > 0 ? [`export type { ${typesOnly.map(nameOf).join(', ')} };`] : []),
    // Without this line all declarations of the file would be exported.
    'export {};',
  ].join('\n\n')}\n`
}

const indentAt = (text: string, offset: number) =>
  /^ */.exec(text.slice(text.lastIndexOf('\n', offset) + 1))?.[0] ?? ''

/** File name → declarations, for the files below `folder` of `rootDir`. */
function emit(rootDir: string, files: string[], folder: string): Map<string, string> {
  const out = mkdtempSync(join(tmpdir(), 'svc-types-'))
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    types: [],
    rootDir,
    outDir: join(out, 'emitted'),
  }
  try {
    const project = { extends: join(root, 'packages/sdk/tsconfig.json'), compilerOptions, files, include: [] }
    writeFileSync(join(out, 'tsconfig.json'), JSON.stringify(project))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', out], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stdout)
    const written = join(out, 'emitted', folder)
    return new Map(
      globSync('**/*ts', { cwd: written })
        .toSorted()
        .map((name) => [name, readFileSync(join(written, name), 'utf8')]),
    )
  } finally {
    rmSync(out, { recursive: true })
  }
}
