import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { addressesOf } from '@svc/contract/common/endpoint'
import { endpointList, type NamedEndpoint } from '@svc/contract/common/endpoints'

const CONTRACT = join(import.meta.dirname, '../packages/contract/src')

type Row = { name: string; route: string; summary: string; module: string; inEnvironment: boolean }

/** The tables of `@svc/sdk/developer`: what a developer session and what a secret key may call, by the names of the contract. */
export function developerCallsModule(): string {
  const modules = modulesByEndpoint()
  const rowsFor = (callers: readonly string[]): Row[] =>
    endpointList.flatMap((endpoint) => rowsOf(endpoint, callers, modules))
  const developer = rowsFor(['none', 'developer', 'operator'])
  const secretKey = rowsFor(['server'])
  const used = [...new Set([...developer, ...secretKey].map(({ module }) => module))].toSorted()
  return [
    '/* Written by `npm run generate`; do not edit. */',
    ...used.map((module) => `import type * as ${aliasOf(module)} from '@svc/contract/${module}'`),
    "import type { RequestOf, ResponseOf } from '@svc/contract/common/endpoint'",
    '',
    "import type { InEnvironment } from './environment.ts'",
    '',
    ...table('DEVELOPER_CALLS', 'Name → method and path, of what a developer session may call.', developer),
    ...types('DeveloperCalls', 'What a developer session may call: request and response by name.', developer),
    ...table('SECRET_KEY_CALLS', 'Name → method and path, of what a secret key may call.', secretKey),
    ...types('SecretKeyCalls', 'What a secret key may call: request and response by name.', secretKey),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

function rowsOf(
  endpoint: NamedEndpoint,
  callers: readonly string[],
  modules: ReadonlyMap<string, string>,
): Row[] {
  const { name, summary } = endpoint
  const module = modules.get(name)
  if (module === undefined) throw new Error(`no file of the contract exports ${name}`)
  return addressesOf(endpoint)
    .filter(({ caller }) => callers.includes(caller))
    .map(({ method, path, caller }) => ({
      name,
      route: `${method} ${path}`,
      summary,
      module,
      inEnvironment: endpoint.caller === 'admin' && caller === 'developer',
    }))
}

/** Endpoint name → file of the contract, without its extension. A name that is exported twice is refused. */
function modulesByEndpoint(): Map<string, string> {
  const modules = new Map<string, string>()
  for (const file of globSync('**/*.ts', { cwd: CONTRACT }).toSorted()) {
    const text = readFileSync(join(CONTRACT, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/^export const (\w+) = endpoint\(/gm)) {
      if (modules.has(name)) throw new Error(`two endpoints are named ${name}: rename one`)
      modules.set(name, file.replace(/\.ts$/, ''))
    }
  }
  return modules
}

const aliasOf = (module: string) =>
  module.replace(/^.*\//, '').replace(/-(\w)/g, (_, character: string) => character.toUpperCase())

const table = (name: string, doc: string, rows: readonly Row[]): string[] => [
  `/** ${doc} */`,
  `export const ${name} = {`,
  ...rows.map((row) => `  ${row.name}: '${row.route}',`),
  '} as const',
  '',
]

const types = (name: string, doc: string, rows: readonly Row[]): string[] => [
  `/** ${doc} */`,
  `export type ${name} = {`,
  ...rows.flatMap(({ name: call, summary, module, inEnvironment }) => [
    `  /** ${summary} */`,
    `  ${call}: {`,
    `    request: RequestOf<typeof ${aliasOf(module)}.${call}>${inEnvironment ? ' & InEnvironment' : ''}`,
    `    response: ResponseOf<typeof ${aliasOf(module)}.${call}>`,
    '  }',
  ]),
  '}',
  '',
]
