import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'

import { startTestSetup, type TestSetup } from './cli.ts'

const PROGRAM = join(import.meta.dirname, '../bin/svc.js')
const CLIENT = join(import.meta.dirname, 'mcp-stdio-client.ts')

let setup: TestSetup
let folder: string
let path: string
before(async () => {
  setup = await startTestSetup()
  await setup.json(['new', 'game', '--no-install'])
  folder = join(setup.root, 'game')
  path = join(setup.home, '.config/svc/agents.json')
})
after(() => setup.stop())

const stored = async (): Promise<{ id: string; token: string; expiresAt: string }[]> =>
  Object.values(JSON.parse(await readFile(path, 'utf8')).agents)
const svc = (args: string[], options: { variables?: Record<string, string>; input?: string } = {}) =>
  setup.svc(args, { folder, ...options })
const messages = (...all: object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('')
const publishableKey = async () =>
  /^SVC_DEVELOPMENT_PUBLISHABLE_KEY=(.+)$/m.exec(await readFile(join(folder, '.env'), 'utf8'))?.[1] ?? ''
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

test('[AGT-45] svc agent login stores the token of an agent for this project, readable only by the user', async () => {
  const first = await setup.json(['agent', 'login', '--label', 'Helper'], { folder })
  assert.deepEqual([first.agent.label, first.agent.tools, first.storedIn], ['Helper', [], path])
  assert.doesNotMatch(JSON.stringify(first), /agt_/)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const [{ id, token } = { id: '', token: '' }] = await stored()
  assert.equal(id, first.agent.id)
  assert.match(token, /^agt_\w+$/)

  const second = await svc(['agent', 'login', '--tools', 'ban_player, push_config', '--hours', '1'])
  assert.equal(second.code, 0, second.err)
  assert.match(second.out, /◆ the agent game \(agn_\w+\) may read and use 2 tools in development until/)
  const { agents } = await setup.json(['agent', 'list'], { folder })
  assert.equal(agents.length, 1, 'the agent before is revoked')
  assert.deepEqual(agents[0].tools, ['ban_player', 'push_config'])
  assert.match((await svc(['agent'])).out, /read, ban_player, push_config .* on this machine/)

  const unknown = await svc(['agent', 'login', '--tools', 'create_key'])
  assert.equal(unknown.code, 4)
  assert.match(
    unknown.err,
    /tools\[0\] is "create_key", which is not a tool\. The tools are activate_deployment, /,
  )
  assert.equal((await svc(['agent', 'login', '--hours', '0.5'])).code, 2)
  assert.equal((await svc(['agent', 'login', '--hours', '721'])).code, 4)
  assert.equal((await stored())[0]?.id, agents[0].id, 'what was stored stays')

  assert.equal((await svc(['agent', 'revoke', agents[0].id])).code, 2, 'it asks')
  assert.equal((await svc(['agent', 'revoke', agents[0].id, '--yes'])).code, 0)
  assert.deepEqual(await stored(), [])
  assert.match((await svc(['agent', 'revoke', agents[0].id, '--yes'])).err, /List them with: svc agent list/)
})

test('[AGT-45] an agent that changes something in production needs the password of the developer', async () => {
  const args = ['agent', 'login', '--env', 'production', '--tools', 'ban_player']
  const asked = await svc(args)
  assert.equal(asked.code, 2)
  assert.match(asked.err, /→ Use --password-stdin/)
  const wrong = await svc([...args, '--password-stdin'], { input: 'wrong\n' })
  assert.equal(wrong.code, 3, wrong.err)
  const { services } = JSON.parse(await readFile(join(setup.home, '.config/svc/credentials.json'), 'utf8'))
  const [{ password }] = Object.values(services) as [{ password: string }]
  const right = await svc([...args, '--password-stdin'], { input: `${password}\n` })
  assert.equal(right.code, 0, right.err)
  assert.equal((await svc(['agent', 'login', '--env', 'production'])).code, 0, 'reading needs none')
})

test('[AGT-46] svc mcp refuses keys and sessions, and says how to get an agent; nothing is on its output', async () => {
  for (const [token, what] of [
    ['sk_dev_1234', /a secret key/],
    ['kds_1234', /your developer session/],
    ['pk_dev_1234', /a publishable key/],
    ['something', /not an agent’s token/],
  ] as const) {
    const { code, out, err } = await svc(['mcp'], { variables: { SVC_AGENT_TOKEN: token } })
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, what)
    assert.match(err, /svc agent login/)
    assert.ok(!err.includes(token), 'the secret is not printed')
  }
  const none = await svc(['mcp'])
  assert.deepEqual([none.code, none.out], [3, ''])
  assert.match(none.err, /no development agent for this project\.\n\s+→ Run: svc agent login/)
  await setup.json(['agent', 'login'], { folder })
  await writeFile(
    path,
    (await readFile(path, 'utf8')).replaceAll(/"expiresAt": "[^"]+"/g, '"expiresAt": "2020"'),
  )
  const ended = await svc(['mcp'])
  assert.deepEqual([ended.code, ended.out], [3, ''])
  assert.match(ended.err, /This project’s development agent has expired\./)
})

for (const line of ['2025', '2026'] as const)
  test(`[AGT-46] a real MCP client of ${line} lists and calls tools through svc mcp`, async () => {
    await setup.json(['agent', 'login', '--tools', 'delete_player'], { folder })
    const key = await publishableKey()
    const { player } = (await setup.call('POST', '/v1/auth/guest', { key, body: {} })).body
    const calls = [
      { name: 'whoami', arguments: {} },
      { name: 'search_players', arguments: { q: 'nobody' } },
      { name: 'delete_player', arguments: { playerId: player.id } },
      { name: 'nothing', arguments: {} },
    ]
    const start = { command: process.execPath, args: [PROGRAM, 'mcp'], env: setup.own, cwd: folder }
    const order = JSON.stringify({ line, start, calls })
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [CLIENT, order])
    assert.equal(stderr, '')
    const { tools, answers } = JSON.parse(stdout)
    assert.ok(tools.includes('whoami') && tools.includes('delete_player'), tools.join())
    assert.ok(!tools.includes('ban_player'), 'only what was granted')
    const [who, found, deleted, nothing] = answers
    const { project } = JSON.parse(await readFile(join(folder, '.svc/project.json'), 'utf8'))
    assert.deepEqual(
      [JSON.parse(who.content.at(-1).text).projectId, JSON.parse(who.content.at(-1).text).environment],
      [project, 'development'],
    )
    assert.deepEqual(JSON.parse(found.content.at(-1).text).players, [])
    assert.equal(deleted.isError, true)
    assert.equal(JSON.parse(deleted.content.at(-1).text).code, 'approval_required')
    assert.equal(nothing.code, -32602)
  })

test('[AGT-12] with --unattended a destructive call needs no approval, in development only', async () => {
  const { player } = (await setup.call('POST', '/v1/auth/guest', { key: await publishableKey(), body: {} }))
    .body
  const call = {
    ...LIST,
    method: 'tools/call',
    params: { name: 'delete_player', arguments: { playerId: player.id } },
  }
  const answer = async () => JSON.parse((await svc(['mcp'], { input: messages(call) })).out).result
  const exists = async () => (await svc(['players', 'show', player.id])).code === 0
  const login = ['agent', 'login', '--tools', 'delete_player']

  await setup.json(login, { folder })
  const refused = await answer()
  assert.deepEqual(
    [JSON.parse(refused.content.at(-1).text).code, await exists()],
    ['approval_required', true],
  )
  const { agent } = await setup.json([...login, '--unattended'], { folder })
  assert.equal(agent.unattended, true)
  assert.match((await svc(['agent'])).out, /read, delete_player \(unattended\)/)
  const done = await answer()
  assert.deepEqual([done.isError ?? false, await exists()], [false, false])

  const inProduction = await svc(['agent', 'login', '--unattended', '--env', 'production'])
  assert.equal(inProduction.code, 4)
  assert.match(inProduction.err, /unattended must not be true in production/)
})

test('[AGT-46] SVC_AGENT_TOKEN wins; a dead token and odd input are answered with an error of the protocol', async () => {
  await setup.json(['agent', 'login', '--label', 'Stored'], { folder })
  const [{ token } = { token: '' }] = await stored()
  const dead = `agt_${'0'.repeat(token.length - 4)}`
  const refused = await svc(['mcp'], { variables: { SVC_AGENT_TOKEN: dead }, input: messages(LIST) })
  assert.equal(refused.code, 0)
  const { id, error } = JSON.parse(refused.out)
  assert.equal(id, 1)
  assert.deepEqual(error.data, { code: 'unauthorized' })
  assert.match(error.message, /unknown, revoked or expired\. Run: svc agent login/)
  assert.match(refused.err, /^svc mcp: This agent’s token/)

  const input = `nonsense\n[]\n\n${'x'.repeat(3 * 1024 * 1024)}\n${messages(
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 7, result: {} },
    LIST,
  )}`
  const { code, out, err } = await svc(['mcp'], { input })
  assert.deepEqual([code, err], [0, ''])
  const answers = out
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one))
  assert.deepEqual(
    answers
      .map((one) => one.error?.code)
      .filter(Boolean)
      .toSorted((a, b) => a - b),
    [-32_700, -32_700, -32_600],
  )
  assert.ok(answers.find((one) => one.id === 1).result.tools.length > 10)
  assert.equal(answers.length, 4)
})

async function listen(t: TestContext, answer: RequestListener) {
  const server = createServer((request, response) => {
    response.setHeader('X-Request-Id', 'req_1')
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The address of a server that is gone. */
async function closed() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

test('[AGT-46] a token is never sent on to another server, and a service that does not answer is named', async (t) => {
  const asked: string[] = []
  const other = await listen(t, ({ url = '' }, answer) => {
    asked.push(url)
    answer.end('{}')
  })
  const moved = await listen(t, (_, answer) => void answer.writeHead(307, { Location: `${other}/mcp` }).end())
  const variables = { SVC_AGENT_TOKEN: 'agt_1', SVC_URL: moved }
  const { out } = await svc(['mcp'], { variables, input: messages(LIST) })
  assert.deepEqual(JSON.parse(out).error.data, { code: 'redirected' })
  assert.deepEqual(asked, [])

  const away = await svc(['mcp'], {
    variables: { ...variables, SVC_URL: await closed() },
    input: messages(LIST),
  })
  assert.match(JSON.parse(away.out).error.message, /Nothing listens at .* Start it with `npm start`/)
  const odd = await svc(['mcp'], { variables: { ...variables, SVC_URL: other }, input: messages(LIST) })
  assert.match(JSON.parse(odd.out).error.message, /answered \/mcp with status 200/)
})

test('[AGT-60] svc agent tools lists every tool without a service; those that every agent has are what an agent without grants gets', async () => {
  const listed = await setup.json(['agent', 'tools'], { variables: { SVC_URL: 'http://127.0.0.1:1' } })
  const tools: { name: string; development: string }[] = listed.tools
  await setup.json(['agent', 'login'], { folder })
  const { result } = JSON.parse((await svc(['mcp'], { input: messages(LIST) })).out)
  assert.deepEqual(
    tools
      .filter(({ development }) => development === 'read')
      .map(({ name }) => name)
      .toSorted(),
    result.tools.map(({ name }: { name: string }) => name).toSorted(),
  )
  const grantable = tools.filter(({ development }) => development !== 'read').map(({ name }) => name)
  const everything = await setup.json(['agent', 'login', '--tools', grantable.join(',')], { folder })
  assert.deepEqual(everything.agent.tools.toSorted(), grantable.toSorted())

  const { out, code } = await svc(['agent', 'tools'])
  assert.equal(code, 0)
  assert.match(out, /ban_player +if granted +if granted, after approval +Ban a player/)
  assert.match(out, /whoami +always +always +For whom you act/)
  assert.match(out, /Grant tools: svc agent login --tools/)
})

test('[AGT-47] svc mcp install prints the file of a client, and with --write adds to it', async () => {
  const npm = { command: 'npm', args: ['run', '--silent', 'svc', '--', 'mcp'] }
  const printed = await setup.json(['mcp', 'install'], { folder })
  assert.deepEqual([printed.file, JSON.parse(printed.text)], ['.mcp.json', { mcpServers: { svc: npm } }])
  await assert.rejects(stat(join(folder, '.mcp.json')))

  const kept = { inputs: [], mcpServers: { other: { url: 'https://example.com' }, svc: { old: true } } }
  await writeFile(join(folder, '.mcp.json'), JSON.stringify(kept))
  assert.equal((await setup.json(['mcp', 'install', '--write'], { folder })).changed, true)
  assert.equal((await setup.json(['mcp', 'install', '--write'], { folder })).changed, false)
  const written = JSON.parse(await readFile(join(folder, '.mcp.json'), 'utf8'))
  assert.deepEqual(written, { inputs: [], mcpServers: { other: kept.mcpServers.other, svc: npm } })

  await setup.json(['mcp', 'install', '--write', '--client', 'cursor'], { folder })
  await setup.json(['mcp', 'install', '--write', '--client', 'vscode', '--env', 'prod'], { folder })
  await mkdir(join(folder, '.codex'))
  await writeFile(join(folder, '.codex/config.toml'), '# mine\nmodel = "x"\n')
  await setup.json(['mcp', 'install', '--write', '--client', 'codex'], { folder })
  const textOf = (name: string) => readFile(join(folder, name), 'utf8')
  assert.deepEqual(JSON.parse(await textOf('.cursor/mcp.json')), { mcpServers: { svc: npm } })
  assert.deepEqual(JSON.parse(await textOf('.vscode/mcp.json')), {
    servers: { svc: { type: 'stdio', ...npm, args: [...npm.args, '--env', 'production'] } },
  })
  assert.equal(
    await textOf('.codex/config.toml'),
    '# mine\nmodel = "x"\n\n[mcp_servers.svc]\ncommand = "npm"\nargs = ["run","--silent","svc","--","mcp"]\n',
  )
  assert.equal(
    (await setup.json(['mcp', 'install', '--write', '--client', 'codex'], { folder })).changed,
    false,
  )

  for (const [name, client, text] of [
    ['.mcp.json', 'project', '{ // a comment\n}'],
    ['.mcp.json', 'project', '{ "mcpServers": [] }'],
    ['.codex/config.toml', 'codex', '[mcp_servers.svc]\ncommand = "mine"\n'],
  ] as const) {
    await writeFile(join(folder, name), text)
    const { code, err } = await svc(['mcp', 'install', '--write', '--client', client])
    assert.equal(code, 1)
    assert.match(err, /It was not changed\.\n\s+→ Write this into it:/)
    assert.equal(await textOf(name), text)
  }
  const elsewhere = await setup.json(['mcp', 'install'])
  assert.equal(JSON.parse(elsewhere.text).mcpServers.svc.command, process.execPath)
})
