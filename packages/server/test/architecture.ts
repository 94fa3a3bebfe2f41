import { importCyclesOf } from './import-cycles.ts'
import { type Import, type Source, sourceOf } from './source-text.ts'
import { measuredByWallTime } from './wall-time.ts'

export type Problem = { rule: string; file: string; sign: string }

type Rule = {
  rule: string
  /** The parts of this file that break the rule: import targets, or pieces of text. */
  signs: (source: Source) => string[]
}

/** Returns every violation of the import rules in these files (path → text). */
export function problemsOf(files: ReadonlyMap<string, string>): Problem[] {
  const sources = [...files].filter(([path]) => !isTest(path)).map(([path, text]) => sourceOf(path, text))
  return [
    ...sources.flatMap((source) =>
      RULES.flatMap(({ rule, signs }) => signs(source).map((sign) => ({ rule, file: source.path, sign }))),
    ),
    ...importCyclesOf(sources).map((paths) => ({
      rule: NO_IMPORT_CYCLES,
      file: paths[0] ?? '',
      sign: paths.join(' '),
    })),
  ]
}

export const NO_IMPORT_CYCLES = 'files never import each other in a cycle, not even types'

const isTest = (path: string) => /\.test\.ts$|^packages\/server\/(test|src\/testing)\//.test(path)

/** `capabilities/saves`, `engines`, `edge`, `platform`, `testing`, `contract`; `root` for files directly in `src/`. */
function layerOf(path: string): string {
  const [, layer] = /^packages\/server\/src\/(capabilities\/[^/]+|[^/]+)\//.exec(path) ?? []
  if (layer) return layer
  if (path.startsWith('packages/server/src/')) return 'root'
  return /^packages\/([^/]+)\/src\//.exec(path)?.[1] ?? 'package'
}

const isCapability = (layer: string) => layer.startsWith('capabilities/')
/** `app.ts` and its modules. */
const isApp = (path: string) => layerOf(path) === 'app' || path === 'packages/server/src/app.ts'
const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const isStore = (path: string) => isCapability(layerOf(path)) && /^(.+-)?store\.ts$/.test(fileName(path))
const isMountFile = (path: string) =>
  isCapability(layerOf(path)) && /^(.+-)?(routes|frames|pages)\.ts$/.test(fileName(path))
const isRules = (path: string) => isCapability(layerOf(path)) && !isStore(path) && !isMountFile(path)
const inLayer =
  (...layers: string[]) =>
  (path: string) =>
    layers.includes(layerOf(path))

type Files = (path: string) => boolean
type Allowed = (target: string, imported: Import, path: string) => boolean

/** The selected files may import only allowed targets. */
const imports = (rule: string, files: Files, allowed: Allowed): Rule => ({
  rule,
  signs: ({ path, imports }) =>
    files(path) ? imports.filter((one) => !allowed(one.target, one, path)).map(({ target }) => target) : [],
})

/** Text that may occur only in these files. */
const text = (rule: string, files: Files, sign: RegExp): Rule => ({
  rule,
  signs: ({ path, bare }) => (files(path) ? [] : [...bare.matchAll(sign)].map(([found]) => found.trim())),
})

const isPackage = (target: string) => layerOf(target) === 'package'
const isNode = (target: string) => target.startsWith('node:')
const server: Files = (path) => path.startsWith('packages/server/src/')

export const RULES: Rule[] = [
  imports(
    'contract imports only typebox',
    inLayer('contract'),
    (target) => inLayer('contract')(target) || target === 'typebox',
  ),
  imports(
    'platform imports contract and Node only',
    inLayer('platform'),
    (target) => inLayer('platform', 'contract')(target) || isNode(target) || target === 'typebox',
  ),
  imports(
    'engines import platform and their drivers, never edge or capabilities',
    inLayer('engines'),
    (target) => inLayer('engines', 'platform', 'contract')(target) || isPackage(target),
  ),
  imports(
    'edge imports platform, contract and docs, never engines or capabilities',
    inLayer('edge'),
    (target) => inLayer('edge', 'platform', 'contract', 'docs')(target) || isPackage(target),
  ),
  imports(
    'capabilities never import each other, not even types',
    (path) => isCapability(layerOf(path)),
    (target, _, path) => !isCapability(layerOf(target)) || layerOf(target) === layerOf(path),
  ),
  imports(
    'a store imports engines and platform, never edge',
    isStore,
    (target) => !inLayer('edge', 'app', 'operator', 'root', 'testing')(target),
  ),
  imports(
    'rules import their own files, platform and contract',
    isRules,
    (target) => !inLayer('edge', 'engines', 'app', 'operator', 'root', 'testing')(target),
  ),
  imports(
    'routes, frames and pages import rules, contract and types of the edge, never a store or an engine',
    isMountFile,
    (target, { typeOnly }) =>
      !inLayer('engines', 'app', 'operator', 'root', 'testing')(target) &&
      !isStore(target) &&
      (layerOf(target) !== 'edge' || typeOnly),
  ),
  imports(
    'the app imports only types of engines',
    isApp,
    (target, { typeOnly }) => !inLayer('engines')(target) || typeOnly,
  ),
  imports(
    'only the app imports capabilities',
    (path) => server(path) && !isApp(path) && !isCapability(layerOf(path)),
    (target) => !isCapability(layerOf(target)),
  ),
  imports(
    'other folders import only the index.ts of a capability',
    (path) => !isCapability(layerOf(path)),
    (target) => !isCapability(layerOf(target)) || fileName(target) === 'index.ts',
  ),
  imports(
    'only tests import testing',
    (path) => !inLayer('testing')(path),
    (target) => !inLayer('testing')(target),
  ),
  imports(
    'only engines/database and stores import Kysely',
    (path) => !isStore(path) && !path.startsWith('packages/server/src/engines/database/'),
    (target) => target !== 'kysely',
  ),
  imports(
    'only edge/http imports Fastify; the app may import its logger type',
    (path) => !path.startsWith('packages/server/src/edge/http/'),
    (target, { typeOnly }, path) => (isApp(path) && typeOnly) || !/^(@fastify\/.+|fastify)$/.test(target),
  ),
  imports(
    'only edge/realtime imports ws',
    (path) => server(path) && !path.startsWith('packages/server/src/edge/realtime/'),
    (target) => target !== 'ws',
  ),
  imports(
    'the sdk imports only types, and only from the contract',
    inLayer('sdk'),
    (target, { typeOnly }) => inLayer('sdk')(target) || (inLayer('contract')(target) && typeOnly),
  ),
  imports(
    'the docs import the contract, never the service',
    inLayer('docs'),
    (target) => inLayer('docs', 'contract')(target) || isPackage(target),
  ),
  imports('process is used as a global, not imported', server, (target) => target !== 'node:process'),
  text(
    'only settings.ts reads the environment',
    (path) => path === 'packages/server/src/settings.ts' || path === 'packages/cli/src/system.ts',
    /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|[{,]\s*env\b[^}]*\}\s*=\s*process\b/g,
  ),
  text(
    'time and randomness come from platform/',
    (path) =>
      inLayer('platform')(path) ||
      // They run inside workerd, which has no other time.
      path.startsWith('packages/server/src/engines/functions/workerd/workers/') ||
      /^packages\/(sdk\/src\/http\/platform|dashboard\/src\/platform|cli\/src\/system)\.ts$/.test(path),
    /\bDate\(\s*\)|\bDate\.now\b|\bTemporal\.Now\b|\bMath\.random\b|\brandom(?:Bytes|UUID|UUIDv7|Int|Fill|FillSync)\b|\bgetRandomValues\b/g,
  ),
  { rule: 'durations are measured by elapsedMs, not by the time of day', signs: measuredByWallTime },
  text(
    'only own-files.ts makes paths from import.meta',
    (path) => !/^packages\/(?:server|cli)\/src\//.test(path) || fileName(path) === 'own-files.ts',
    /(?<!createRequire\()\bimport\.meta\.(?:dirname|filename|resolve|url)\b/g,
  ),
  text('no any', () => false, /(?<![.\w$])any\b(?!\s*[:(?])/g),
  {
    rule: 'no comment disables the compiler',
    signs: ({ text }) => text.match(/@ts-(?:ignore|expect-error|nocheck)/g) ?? [],
  },
  {
    rule: 'exports of the contract, the SDK and the platform have a doc comment',
    signs: (source) => (inLayer('contract', 'sdk', 'platform')(source.path) ? undocumented(source) : []),
  },
  { rule: 'comments use plain words', signs: ({ comments }) => comments.match(NOT_PLAIN) ?? [] },
  { rule: 'everything that others can close or break has an error listener', signs: unheardErrors },
  { rule: 'a table is queried only by the capability whose name it begins with', signs: foreignTables },
]

/** Calls that open a server, a socket, a process or a request, and events that hand over a socket. */
const OPENED =
  /(?<![.\w#]|function )(?:createServer|createSocket|spawn|fork|httpRequest|httpsRequest|connect)\(|\.on\('(?:upgrade|connect|connection)'|(?<=[?:] ?)http(?:s)?Request\b(?!\()/g
const LISTENER = /\.on\('error'|\blistenOn\(|\bwriteUpgrade\(/g
const OPENING_MODULES = new Set(['node:net', 'node:dgram', 'node:child_process', 'node:https', 'node:http'])

/**
 * Node ends the process for an `error` event without a listener. Not exact, but it finds what was forgotten: a file needs as many
 * listeners as it opens things. `listenOn` and `writeUpgrade` add them.
 */
function unheardErrors({ path, code, imports }: Source): string[] {
  const opens = imports.some(({ target, typeOnly }) => OPENING_MODULES.has(target) && !typeOnly)
  if (!server(path) || !opens) return []
  const opened = [...code.matchAll(OPENED)].map(([found]) => found)
  return opened.length > [...code.matchAll(LISTENER)].length ? opened : []
}

const EXPORT =
  /^(?<comment>.*\*\/\n)?export (?:declare )?(?:abstract )?(?:async )?(?:const|function|class|type|interface) (?<name>\w+)/gm

/** Exported names without a comment. Of several declarations with one name (overloads, a type of a constant) one has it. */
function undocumented({ text }: Source): string[] {
  const found = [...text.matchAll(EXPORT)].map(({ groups }) => groups)
  const documented = new Set(found.filter((one) => one?.['comment']).map((one) => one?.['name']))
  return found.flatMap((one) => (one?.['name'] && !documented.has(one['name']) ? [one['name']] : []))
}

/** Rare words and idioms that were found in comments and replaced. CONTRIBUTING.md has the rules behind them. */
const NOT_PLAIN =
  /\b(?:anew|ever after|for ever|lest|to the letter|told apart|whereupon|whoever|whomever)\b/gi

const BUILDER =
  /(?:\b(?:(?:count|delete|select|take|update)By|removal(?:Before|UpTo)|insert(?:New|Row)|page(?:After|Before)|upsertRow)\(|\bcreateAddressRows\(\w+,|\.(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto|\w*[jJ]oin(?:Lateral)?|from|using)\()\s*(?<list>\[[^\]]*\]|['"][^'"]*['"])/g
const VARIABLE = /\.(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\(\s*[\w$.]+\s*\)/g
const RAW_SQL = /\bsql(?:<[^>]*>)?`(?<sql>(?:\\.|[^`\\])*)`/g
const TABLE_IN_SQL = /\b(?:from|into|update|join)\s+"?([a-z_]+)"?/gi

/**
 * Tables that several capabilities query. The entries of leaderboards are values of stats (0058). Who may call for a project is found
 * with the project (0069).
 */
const OWNERS: Record<string, string[]> = {
  stats: ['stats', 'leaderboards'],
  members: ['members', 'projects'],
}

/** Tables named in queries that are not this capability's, and queries that do not say which table they mean. */
function foreignTables({ path, code }: Source): string[] {
  const layer = layerOf(path)
  if (!server(path) || layer === 'engines') return []
  const [, capability = ''] = layer.split('/')
  const own = (table: string) =>
    OWNERS[table]?.includes(capability) ?? (table === capability || table.startsWith(`${capability}_`))

  const built = [...code.matchAll(BUILDER)].flatMap(({ groups }) =>
    [...(groups?.list ?? '').matchAll(/['"]([A-Za-z_]+)(?: as \w+)?['"]/g)].map(([, table = '']) => table),
  )
  const raw = [...code.matchAll(RAW_SQL)].flatMap(({ groups }) =>
    [...(groups?.sql ?? '').matchAll(TABLE_IN_SQL)].map(([, table = '']) => table),
  )
  const unnamed = [...code.matchAll(VARIABLE)].map(([query]) => query)
  return [...built, ...raw].filter((table) => !own(table)).concat(unnamed)
}
