import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AGENT_TOOLS, GRANTABLE_TOOLS } from './agent-tool-list.ts'
import { NEVER_FOR_AGENTS, toolNameOf, TOOLS_BY_HAND } from './agent-tools.ts'
import { endpointList } from './endpoints.ts'
import type { Shape } from './json-schema.ts'

const forDevelopers = endpointList.filter(({ caller }) => caller === 'admin' || caller === 'developer')
const tools = endpointList.filter(({ agent }) => agent !== undefined)

test('[AGT-01] every endpoint for developers is a tool, or is listed as never one, with the reason', () => {
  for (const { name, agent, route } of forDevelopers)
    assert.notEqual(
      agent === undefined,
      NEVER_FOR_AGENTS[name] === undefined,
      `${name} (${route}) needs either agent in its row or a line in NEVER_FOR_AGENTS`,
    )
  const names = new Set(forDevelopers.map(({ name }) => name))
  assert.deepEqual(
    Object.keys(NEVER_FOR_AGENTS).filter((name) => !names.has(name)),
    [],
  )
})

test('[AGT-01] no endpoint of another caller, no stream and no endpoint outside of a project is a tool', () => {
  for (const { name, caller, route, responseType } of tools) {
    assert.ok(caller === 'admin' || caller === 'developer', name)
    assert.equal(responseType, undefined, name)
    if (caller === 'developer') assert.match(route, /\/v1\/projects\/:projectId(\/|$)/, name)
  }
})

test('[AGT-01] what reads is a GET, and a GET that is a tool reads, except an export', () => {
  for (const { name, route, agent } of tools)
    if (name !== 'exportPlayer') assert.equal(agent === 'read', route.startsWith('GET '), name)
})

test('[AGT-02] [AGT-57] tools have different names, and the names of their endpoints in snake case', () => {
  const names = tools.filter(({ agentTool }) => !agentTool).map(toolNameOf)
  assert.deepEqual(
    [...names, ...Object.keys(TOOLS_BY_HAND)].filter((name, at, all) => all.indexOf(name) !== at),
    [],
  )
  for (const name of names) assert.match(name, /^[a-z]+(_[a-z]+)*$/)
  assert.ok(names.includes('ban_player') && names.includes('read_share_tags'))
})

test('[AGT-60] the list of tools has every tool once, first those that every agent has, with what it does', () => {
  const names = AGENT_TOOLS.map(({ name }) => name)
  assert.deepEqual(names.toSorted(), [...GRANTABLE_TOOLS.keys(), 'whoami'].toSorted())
  const reads = ({ uses }: (typeof AGENT_TOOLS)[number]) => uses.development === 'read'
  assert.deepEqual(
    AGENT_TOOLS.filter(reads).map(({ name }) => name),
    names.slice(0, AGENT_TOOLS.filter(reads).length),
  )
  for (const { name, summary, uses } of AGENT_TOOLS) {
    assert.match(summary, /^[A-Z]/, name)
    const granted = GRANTABLE_TOOLS.get(name) ?? 'reads'
    for (const use of Object.values(uses)) assert.equal(use === 'read', granted === 'reads', name)
  }
  const usesOf = (wanted: string) => AGENT_TOOLS.find(({ name }) => name === wanted)?.uses
  assert.deepEqual(usesOf('ban_player'), { development: 'write', production: 'destructive' })
  assert.deepEqual(usesOf('delete_player'), { development: 'destructive', production: 'destructive' })
  assert.deepEqual(usesOf('deploy_files'), { development: 'write', production: 'write' })
})

test('[AGT-02] no name is in two of the path, the query and the body of a tool', () => {
  for (const { name, params, query, body } of tools) {
    const names = [params, query, body].flatMap((part) =>
      Object.keys((part as Shape | undefined)?.properties ?? {}),
    )
    assert.deepEqual(
      names.filter((one, at) => names.indexOf(one) !== at || one === 'approvalId' || one === 'body'),
      [],
      name,
    )
  }
})

/** Members that players write, wherever a tool returns them. */
const WRITTEN_BY_PLAYERS = new Set(['displayName', 'metadata', 'email'])

test('[AGT-14] names, emails and metadata of players are marked as theirs in the answers of all tools', () => {
  let found = 0
  const visit = (shape: Shape | undefined, path: string) => {
    for (const [name, member] of Object.entries(shape?.properties ?? {})) {
      if (WRITTEN_BY_PLAYERS.has(name)) {
        found++
        const texts = member.anyOf ?? [member]
        assert.ok(
          texts.some(({ author }) => author === 'player'),
          `${path}.${name}`,
        )
      }
      visit(member, `${path}.${name}`)
    }
    if (shape?.items) visit(shape.items, `${path}[]`)
    for (const one of shape?.anyOf ?? []) visit(one, path)
  }
  for (const { name, response } of tools) visit(response as Shape, name)
  assert.ok(found > 10, `${found}`)
})
