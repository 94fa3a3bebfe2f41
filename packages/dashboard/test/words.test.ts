import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { agentUseOf, toolNameOf } from '@svc/contract/common/agent-tools'
import { endpointList } from '@svc/contract/common/endpoints'

import { toolsWith } from '../src/pages/agents/tools.ts'
import { describe } from '../src/pages/audit/actions.ts'
import { describeJob } from '../src/pages/system/job-words.ts'

const SERVER = join(import.meta.dirname, '../../server/src/capabilities')
const OPERATOR_LOG = join(import.meta.dirname, '../src/pages/system/operator-log.tsx')
/** Texts of this form in the same files that are names of something else. */
const OTHER_NAMES = new Set(['functions.hourly', 'functions.requests', 'functions.stopping', 'share.images'])

/** A tool that consists of several endpoints is counted as its least one: only the last of them can be destructive. */
const usesIn = (environment: 'development' | 'production') => {
  const uses = { write: new Set<string>(), destructive: new Set<string>() }
  for (const endpoint of endpointList) {
    const use = agentUseOf(endpoint, environment)
    if (use === 'write') uses.write.add(toolNameOf(endpoint))
    if (use === 'destructive') uses.destructive.add(toolNameOf(endpoint))
  }
  return { write: uses.write, destructive: uses.destructive.difference(uses.write) }
}
const TOOLS_BY_USE = { development: usesIn('development'), production: usesIn('production') }

test('every action of the audit log has words in the dashboard', () => {
  const sources = globSync('**/*.ts', { cwd: SERVER })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(SERVER, path), 'utf8'))
    .filter((text) => /audit/i.test(text))
  const actions = new Set(
    sources.flatMap((text) =>
      [...text.matchAll(/'([a-z_]+(?:\.[a-z_]+){1,2})'/g)].map(([, action = '']) => action),
    ),
  )
  assert.ok(actions.size > 40, 'the actions were found')
  const ofOperators = readFileSync(OPERATOR_LOG, 'utf8')
  const withoutWords = [...actions].filter(
    (action) =>
      !OTHER_NAMES.has(action) &&
      describe({ action, target: null, details: {} }).sentence[0] === action &&
      !ofOperators.includes(`'${action}': '`),
  )
  assert.deepEqual(withoutWords, [])
})

test('[DSH-58] every tool of agents that changes something has words in the dashboard, and is in the right group', () => {
  for (const environment of ['development', 'production'] as const)
    for (const use of ['write', 'destructive'] as const)
      assert.deepEqual(
        toolsWith(use, environment)
          .map(({ name }) => name)
          .toSorted(),
        [...TOOLS_BY_USE[environment][use]].toSorted(),
        `${use} in ${environment}`,
      )
})

test('every job has words in the dashboard', () => {
  const folder = join(SERVER, '..')
  const names = globSync('{app,capabilities}/**/*.ts', { cwd: folder })
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => [
      ...readFileSync(join(folder, path), 'utf8').matchAll(
        /(?:hourly(?:Removal)?\(|\{ name: |^\s+name: )'([a-z-]+\.[a-z-]+)'(?!\s*\})/gm,
      ),
    ])
    .map(([, name = '']) => name)
  assert.ok(names.length > 20, 'the jobs were found')
  assert.deepEqual(
    names.filter((name) => describeJob(name) === name),
    [],
  )
})
