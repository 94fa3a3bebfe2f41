import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { NO_IMPORT_CYCLES, problemsOf, RULES } from './architecture.ts'

const root = join(import.meta.dirname, '../../..')

test('the code follows the architecture rules', () => {
  const paths = globSync('packages/*/src/**/*.ts', { cwd: root })
  assert.ok(paths.length > 20, 'the files were not found')

  const files = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))

  assert.deepEqual(problemsOf(files), [])
})

/** Rule → a file that breaks it, and a similar file that does not. */
const faults: Record<string, { bad: [path: string, text: string][]; good: [path: string, text: string][] }> =
  {
    'contract imports only typebox': {
      bad: [
        ['packages/contract/src/saves.ts', `import { readFileSync } from 'node:fs'`],
        ['packages/contract/src/saves.ts', `import type { Clock } from '../../server/src/platform/clock.ts'`],
      ],
      good: [
        [
          'packages/contract/src/saves.ts',
          `import { type Static, Type } from 'typebox'\nimport { Id } from './common/schemas.ts'`,
        ],
      ],
    },
    'platform imports contract and Node only': {
      bad: [
        [
          'packages/server/src/platform/clock.ts',
          `import type { Database } from '../engines/database/database.ts'`,
        ],
      ],
      good: [['packages/server/src/platform/crypto.ts', `import { createHash } from 'node:crypto'`]],
    },
    'engines import platform and their drivers, never edge or capabilities': {
      bad: [
        ['packages/server/src/engines/bus/redis.ts', `export { route } from '../../edge/http/routes.ts'`],
        [
          'packages/server/src/engines/bus/redis.ts',
          `const { x } = await import('../../capabilities/saves/index.ts')`,
        ],
      ],
      good: [['packages/server/src/engines/bus/redis.ts', `import { createClient } from '@redis/client'`]],
    },
    'edge imports platform, contract and docs, never engines or capabilities': {
      bad: [
        [
          'packages/server/src/edge/http/server.ts',
          `import type { Counters } from '../../engines/counters/counters.ts'`,
        ],
        ['packages/server/src/edge/http/server.ts', `export * from '../../capabilities/saves/index.ts'`],
      ],
      good: [['packages/server/src/edge/http/server.ts', `import fastify from 'fastify'`]],
    },
    'capabilities never import each other, not even types': {
      bad: [
        [
          'packages/server/src/capabilities/saves/saves.ts',
          `import type { Player } from '../players/index.ts'`,
        ],
      ],
      good: [
        ['packages/server/src/capabilities/saves/saves.ts', `import type { SaveStore } from './store.ts'`],
      ],
    },
    'a store imports engines and platform, never edge': {
      bad: [
        [
          'packages/server/src/capabilities/saves/store.ts',
          `import type { Route } from '../../edge/http/routes.ts'`,
        ],
      ],
      good: [
        [
          'packages/server/src/capabilities/saves/key-store.ts',
          `import { statement } from '../../engines/database/database.ts'`,
        ],
      ],
    },
    'rules import their own files, platform and contract': {
      bad: [
        [
          'packages/server/src/capabilities/saves/saves.ts',
          `import type { Database } from '../../engines/database/database.ts'`,
        ],
        [
          'packages/server/src/capabilities/saves/saves.ts',
          `type A = import('../../edge/http/routes.ts').Route`,
        ],
        [
          'packages/server/src/capabilities/saves/saves.ts',
          `import type { Settings } from '../../settings.ts'`,
        ],
      ],
      good: [
        [
          'packages/server/src/capabilities/saves/saves.ts',
          `import type { Clock } from '../../platform/clock.ts'`,
        ],
      ],
    },
    'routes, frames and pages import rules, contract and types of the edge, never a store or an engine': {
      bad: [
        [
          'packages/server/src/capabilities/saves/routes.ts',
          `import { route } from '../../edge/http/routes.ts'`,
        ],
        ['packages/server/src/capabilities/saves/routes.ts', `import type { SaveStore } from './store.ts'`],
        [
          'packages/server/src/capabilities/saves/routes.ts',
          `import type { Counters } from '../../engines/counters/counters.ts'`,
        ],
      ],
      good: [
        [
          'packages/server/src/capabilities/saves/routes.ts',
          `import type { Route } from '../../edge/http/routes.ts'`,
        ],
      ],
    },
    'the app imports only types of engines': {
      bad: [
        ['packages/server/src/app.ts', `import { openBus } from './engines/bus/open.ts'`],
        ['packages/server/src/app/players.ts', `import { openBus } from '../engines/bus/open.ts'`],
      ],
      good: [
        [
          'packages/server/src/app/players.ts',
          `import type { Counters } from '../engines/counters/counters.ts'`,
        ],
      ],
    },
    'only the app imports capabilities': {
      bad: [['packages/server/src/main.ts', `import { createSaves } from './capabilities/saves/index.ts'`]],
      good: [
        [
          'packages/server/src/app/game-data.ts',
          `import { createSaves } from '../capabilities/saves/index.ts'`,
        ],
      ],
    },
    'other folders import only the index.ts of a capability': {
      bad: [['packages/server/src/app.ts', `import { createSaves } from './capabilities/saves/saves.ts'`]],
      good: [['packages/server/src/app.ts', `import { createSaves } from './capabilities/saves/index.ts'`]],
    },
    'only tests import testing': {
      bad: [['packages/server/src/main.ts', `import { service } from './testing/service.ts'`]],
      good: [
        [
          'packages/server/src/capabilities/saves/saves.test.ts',
          `import { service } from '../../testing/service.ts'`,
        ],
      ],
    },
    'only engines/database and stores import Kysely': {
      bad: [
        ['packages/server/src/capabilities/saves/saves.ts', `import { sql } from 'kysely'`],
        ['packages/server/src/engines/bus/redis.ts', `import type { Kysely } from 'kysely'`],
      ],
      good: [['packages/server/src/capabilities/saves/store.ts', `import { sql } from 'kysely'`]],
    },
    'only edge/http imports Fastify; the app may import its logger type': {
      bad: [
        ['packages/server/src/app/edge.ts', `import fastify from 'fastify'`],
        ['packages/server/src/capabilities/saves/routes.ts', `import type { FastifyReply } from 'fastify'`],
      ],
      good: [['packages/server/src/edge/http/server.ts', `import type { FastifyReply } from 'fastify'`]],
    },
    'only edge/realtime imports ws': {
      bad: [['packages/server/src/edge/http/server.ts', `import { WebSocketServer } from 'ws'`]],
      good: [['packages/server/src/edge/realtime/socket.ts', `import { WebSocketServer } from 'ws'`]],
    },
    'the sdk imports only types, and only from the contract': {
      bad: [
        ['packages/sdk/src/data/saves.ts', `import { writeSave } from '../../../contract/src/saves.ts'`],
        [
          'packages/sdk/src/data/saves.ts',
          `import type { Saves } from '../../server/src/capabilities/saves/index.ts'`,
        ],
        ['packages/sdk/src/server/webhook.ts', `import { createHmac } from 'node:crypto'`],
      ],
      good: [
        [
          'packages/sdk/src/data/saves.ts',
          `import type { SaveSummary } from '../../../contract/src/saves.ts'\nimport { SvcError } from '../http/errors.ts'`,
        ],
      ],
    },
    'the docs import the contract, never the service': {
      bad: [['packages/docs/src/html.ts', `import { escapeHtml } from '../../server/src/platform/pages.ts'`]],
      good: [['packages/docs/src/contents.ts', `import { PARTS } from '@svc/contract/common/endpoints'`]],
    },
    'process is used as a global, not imported': {
      bad: [['packages/server/src/main.ts', `import { env } from 'node:process'`]],
      good: [['packages/server/src/main.ts', `process.exitCode = 1`]],
    },
    'only settings.ts reads the environment': {
      bad: [
        ['packages/server/src/main.ts', `const port = process.env.PORT`],
        ['packages/server/src/main.ts', 'const port = `${process.env.PORT}`'],
        ['packages/server/src/main.ts', `const { env } = process`],
      ],
      good: [
        ['packages/server/src/settings.ts', `const port = process.env.PORT`],
        ['packages/server/src/main.ts', `// process.env is read elsewhere\nconst text = 'process.env'`],
      ],
    },
    'time and randomness come from platform/': {
      bad: ['new Date()', 'Date.now()', 'Math.random()', 'randomBytes(8)', 'crypto.randomUUID()'].map(
        (text) => ['packages/server/src/capabilities/saves/saves.ts', `const value = ${text}`],
      ),
      good: [
        ['packages/server/src/platform/clock.ts', `const value = new Date()`],
        ['packages/server/src/capabilities/saves/saves.ts', `const value = new Date(clock.now())`],
      ],
    },
    'durations are measured by elapsedMs, not by the time of day': {
      bad: [
        'timers.after(dueMs - millisecondsOf(this.#deps.clock), work)',
        'const sentAtMs = 0\nconst isLate = clock.now().getTime() - sentAtMs > LATE_MS',
        'let retryAtMs = 0\nretryAtMs = millisecondsOf(clock) + RETRY_MS',
        'const nowMs = () => clock.now().getTime()\nsetTimeout(work, dueMs - nowMs())',
        'let sinceMs = 0\n#nowMs(): number {\n  return millisecondsOf(this.#clock)\n}',
      ].map((text) => ['packages/server/src/capabilities/rooms/room.ts', text]),
      good: [
        ['packages/server/src/capabilities/rooms/room.ts', 'timers.after(dueMs - clock.elapsedMs(), work)'],
        [
          'packages/server/src/capabilities/rooms/room.ts',
          'timers.after(1_000, () => send({ at: millisecondsOf(clock) }))',
        ],
        ['packages/server/src/capabilities/money/periods.ts', 'dayOf(millisecondsOf(clock) - DAY_MS)'],
      ],
    },
    'only own-files.ts makes paths from import.meta': {
      bad: [
        ['packages/server/src/engines/cards/inter.ts', `const folder = join(import.meta.dirname, 'fonts')`],
        ['packages/server/src/engines/cards/inter.ts', `const file = new URL('./x.ts', import.meta.url)`],
        ['packages/cli/src/run.ts', `const file = import.meta.filename`],
      ],
      good: [
        ['packages/server/src/platform/own-files.ts', `const folder = import.meta.dirname`],
        ['packages/server/src/engines/sfu/process.ts', `const { resolve } = createRequire(import.meta.url)`],
      ],
    },
    'no any': {
      bad: [
        ['packages/server/src/app.ts', `const value: any = 1`],
        ['packages/server/src/app.ts', `const value = list as any[]`],
      ],
      good: [
        [
          'packages/server/src/app.ts',
          `const signal = AbortSignal.any([one])\nconst text = \`any \${word} at all\``,
        ],
      ],
    },
    'no comment disables the compiler': {
      bad: [['packages/contract/src/saves.ts', `// @ts-${'ignore'}\nconst a: string = 1`]],
      good: [['packages/contract/src/saves.ts', `// the compiler agrees`]],
    },
    'exports of the contract, the SDK and the platform have a doc comment': {
      bad: [
        ['packages/contract/src/saves.ts', `/** One. */\nexport type One = 1\nexport type Two = 2`],
        ['packages/server/src/platform/clock.ts', `// A comment.\nexport function now() {}`],
      ],
      good: [
        ['packages/sdk/src/data/saves.ts', `/** One. */\nexport type One = 1\nconst two = 2`],
        ['packages/contract/src/saves.ts', `/** A save. */\nexport type Save = 1\nexport const Save = 1`],
        ['packages/server/src/engines/bus/redis.ts', `export const one = 1`],
      ],
    },
    'comments use plain words': {
      bad: [
        ['packages/server/src/app.ts', '/** Looks anew. */'],
        ['packages/sdk/src/data/saves.ts', 'const a = 1 // For whoever asks.'],
      ],
      good: [['packages/server/src/app.ts', `const anew = 'whoever' // Looks again.`]],
    },
    'everything that others can close or break has an error listener': {
      bad: [
        [
          'packages/server/src/engines/sfu/process.ts',
          `import { fork } from 'node:child_process'\nconst child = fork(path)`,
        ],
        [
          'packages/server/src/engines/functions/workerd/network/egress.ts',
          `import { createServer } from 'node:http'\nconst server = createServer(forward)\nserver.on('error', ignore)\nserver.on('connect', (_, socket) => socket.end())`,
        ],
      ],
      good: [
        [
          'packages/server/src/engines/sfu/process.ts',
          `import { fork } from 'node:child_process'\nconst child = fork(path)\nchild.on('error', ignore)`,
        ],
        [
          'packages/server/src/capabilities/rooms/seats.ts',
          `import type { Socket } from 'node:net'\nseats.connect(seat)`,
        ],
      ],
    },
    'a table is queried only by the capability whose name it begins with': {
      bad: [
        ['packages/server/src/capabilities/saves/store.ts', `q.selectFrom('players').selectAll()`],
        [
          'packages/server/src/capabilities/saves/store.ts',
          `q.selectFrom('saves').innerJoin('players_tokens as t', 'a', 'b')`,
        ],
        ['packages/server/src/capabilities/saves/store.ts', 'sql`delete from players where id = ${id}`'],
        ['packages/server/src/capabilities/saves/store.ts', `q.deleteFrom(table)`],
        ['packages/server/src/edge/http/idempotency.ts', `q.selectFrom('saves')`],
        ['packages/server/src/capabilities/saves/store.ts', `deleteBy('players', ['id'])`],
        ['packages/server/src/capabilities/saves/store.ts', `selectBy('players', ['email'], ['id'])`],
        ['packages/server/src/capabilities/saves/store.ts', `removalUpTo('players_tokens', ['expiresAt'])`],
        ['packages/server/src/capabilities/saves/store.ts', `upsertRow('players', ['id'], ['id'])`],
        [
          'packages/server/src/capabilities/saves/store.ts',
          `createAddressRows(db, 'players_sign_in_addresses')`,
        ],
        ['packages/server/src/capabilities/stats/store.ts', `q.selectFrom('leaderboards')`],
        ['packages/server/src/capabilities/leaderboards/boards-store.ts', `q.selectFrom('stats_signals')`],
      ],
      good: [
        [
          'packages/server/src/capabilities/saves/store.ts',
          `q.insertInto('saves').values(save)\nq.selectFrom('saves_keys as k')`,
        ],
        [
          'packages/server/src/capabilities/leaderboards/boards-store.ts',
          `q.selectFrom('leaderboards')\nq.selectFrom('stats')`,
        ],
      ],
    },
  }

for (const { rule } of RULES) {
  test(`a planted fault is found: ${rule}`, () => {
    const { bad, good } = faults[rule] ?? assert.fail('this rule has no planted fault')
    for (const fault of bad) assert.deepEqual(rulesBrokenBy(fault, rule), [rule], fault.join('\n'))
    for (const sound of good) assert.deepEqual(problemsOf(new Map([sound])), [], sound.join('\n'))
  })
}

test(`a planted fault is found: ${NO_IMPORT_CYCLES}`, () => {
  const file = (name: string) => `packages/server/src/platform/${name}.ts`
  const cyclesOf = (texts: Record<string, string>) =>
    problemsOf(new Map(Object.entries(texts).map(([name, text]) => [file(name), text])))

  for (const cycle of [
    { a: `import { b } from './b.ts'`, b: `import { a } from './a.ts'` },
    { a: `import type { B } from './b.ts'`, b: `export { c } from './c.ts'`, c: `import('./a.ts')` },
  ])
    assert.deepEqual(cyclesOf(cycle), [
      { rule: NO_IMPORT_CYCLES, file: file('a'), sign: Object.keys(cycle).map(file).join(' ') },
    ])

  const twoWaysToOneFile = {
    a: `import { b } from './b.ts'\nimport { c } from './c.ts'`,
    b: `import { c } from './c.ts'`,
    c: `/** One. */\nexport const c = 1`,
  }
  assert.deepEqual(cyclesOf(twoWaysToOneFile), [])
})

const rulesBrokenBy = (file: [path: string, text: string], rule: string) => [
  ...new Set(
    problemsOf(new Map([file]))
      .map((problem) => problem.rule)
      .filter((broken) => broken === rule),
  ),
]
