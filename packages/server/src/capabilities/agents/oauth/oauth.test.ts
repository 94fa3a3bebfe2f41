import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/clock.ts'
import { agentClients, grantsPath } from '../../../testing/agent-clients.ts'
import { agentsPath } from '../../../testing/agents.ts'
import { newMember } from '../../../testing/members.ts'
import type { Answer } from '../../../testing/service.ts'
import { suite } from '../../../testing/suite.ts'
import { answerWith, startReceiver } from '../../../testing/webhook-receiver.ts'

const FIND = '/v1/x/agent-authorizations/find'
const BACK = 'http://127.0.0.1/callback'
const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

suite('OAuth for clients of agents', { features: {} }, ({ service, project }) => {
  let documents: Awaited<ReturnType<typeof startReceiver>>
  let baseUrl = ''
  let count = 0
  const client = agentClients(service, () => baseUrl)
  const developer = () => project.developer

  /** A client whose document has these fields; every one has a URL of its own, because documents are cached. */
  function newClient(changed: object | string = {}, status = 200): string {
    const id = `http://127.0.0.1:${documents.port}/client-${++count}.json`
    const document = { client_id: id, client_name: 'My client', redirect_uris: [BACK] }
    documents.answer((response, received) => {
      const isThis = id.endsWith(received.path)
      answerWith(typeof changed === 'string' ? changed : { ...document, ...changed }, isThis ? status : 404)(
        response,
        received,
      )
    })
    return id
  }
  const find = (query: string) => developer().call('POST', FIND, { query })
  const reasonOf = async (query: string): Promise<string> => {
    const { status, body } = await find(query)
    return status === 200 ? 'ok' : body.error.details.reason
  }
  /** A client that has its first tokens. */
  async function connected(side = project.development, fields: object = {}) {
    const id = newClient()
    const { code, agent } = await client.consent(project, side, client.query(id, BACK), fields)
    const { status, body } = await client.exchange(id, BACK, code)
    assert.equal(status, 200, JSON.stringify(body))
    return { id, agent, code, ...(body as { access_token: string; refresh_token: string; scope: string }) }
  }
  const readsWith = async (token: string) =>
    (await service.withToken(token)('GET', `${project.development.path}/keys`)).status

  before(async () => {
    documents = await startReceiver()
    const { body } = await service.call('GET', '/.well-known/oauth-authorization-server')
    baseUrl = body.issuer
  })
  after(() => documents.stop())

  test('[AGT-30] a client without a token learns from the answer where it gets one', async () => {
    const refused = await service.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' })
    const url = `${baseUrl}/.well-known/oauth-protected-resource/mcp`
    assert.equal(refused.status, 401)
    assert.equal(refused.headers['www-authenticate'], `Bearer resource_metadata="${url}"`)
    const dead = await service.withToken('agt_dead')('POST', '/mcp', {})
    assert.equal(dead.headers['www-authenticate'], `Bearer error="invalid_token", resource_metadata="${url}"`)

    const { body: resource } = await service.call('GET', new URL(url).pathname)
    assert.deepEqual(resource.authorization_servers, [baseUrl])
    assert.equal(resource.resource, `${baseUrl}/mcp`)
    const { body: server } = await service.call('GET', '/.well-known/oauth-authorization-server')
    assert.deepEqual(server.code_challenge_methods_supported, ['S256'])
    assert.deepEqual(server.token_endpoint_auth_methods_supported, ['none'])
    assert.equal(server.registration_endpoint, undefined)
    assert.ok(server.client_id_metadata_document_supported)
    assert.ok(server.authorization_response_iss_parameter_supported)
  })

  test('[AGT-31] the browser is led to the page of the dashboard with the same request, and nothing is fetched', async () => {
    documents.take()
    const query = client.query(newClient(), BACK)
    const { status, headers } = await service.call('GET', `/oauth/authorize?${query}`)
    assert.equal(status, 302)
    const location = new URL(headers['location'] ?? '', baseUrl)
    assert.equal(location.pathname, '/dashboard/authorize')
    assert.deepEqual([...location.searchParams], [...new URLSearchParams(query)])
    assert.equal(documents.take().length, 0)
    assert.equal((await service.call('POST', FIND, { query })).status, 401)
  })

  test('[AGT-31] the developer sees who asks, where it leads, and which tools there are', async () => {
    const id = newClient({ logo_uri: `http://127.0.0.1:${documents.port}/logo.png` })
    documents.take()
    const { status, body } = await find(client.query(id, 'http://127.0.0.1:4711/callback'))
    assert.equal(status, 200)
    assert.deepEqual(body.client, { id, name: 'My client', host: new URL(id).host })
    assert.deepEqual(body.redirect, { host: '127.0.0.1:4711', isThisComputer: true })
    assert.equal(body.problem, null)
    assert.ok(body.tools.includes('ban_player') && !body.tools.includes('search_players'))
    const refusal = new URL(body.refuseTo)
    assert.equal(refusal.searchParams.get('error'), 'access_denied')
    assert.equal(refusal.searchParams.get('state'), 'my state')
    assert.equal(refusal.searchParams.get('iss'), baseUrl)
    assert.deepEqual(
      documents.take().map(({ path }) => path),
      [new URL(id).pathname],
      'the logo is not loaded',
    )
  })

  test('[AGT-32] a code becomes a token for an hour that reads, and is listed as an agent of the client', async () => {
    const id = newClient()
    const { agent, url, code } = await client.consent(project, project.development, client.query(id, BACK))
    assert.equal(url.origin + url.pathname, BACK)
    assert.deepEqual([url.searchParams.get('state'), url.searchParams.get('iss')], ['my state', baseUrl])
    const { status, headers, body } = await client.exchange(id, BACK, code)
    assert.equal(status, 200)
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(body.access_token, /^agt_/)
    assert.match(body.refresh_token, /^agr_[A-Za-z0-9]{52}$/)
    assert.deepEqual([body.token_type, body.expires_in, body.scope], ['Bearer', 3_600, 'read'])
    assert.equal(await readsWith(body.access_token), 200)

    const { body: listed } = await developer().call('GET', agentsPath(project.development))
    const one = listed.agents.find((each: { id: string }) => each.id === agent.id)
    assert.deepEqual([one.label, one.client, one.tools], ['My client', id, []])
    assert.equal(Date.parse(one.expiresAt) - Date.parse(one.createdAt), 30 * DAY_MS)
    for (const table of ['agents_tokens', 'agents_grants', 'agents_codes'] as const) {
      const rows = JSON.stringify(await service.db.search((q) => q.selectFrom(table).selectAll()))
      for (const secret of [code, body.access_token, body.refresh_token, body.refresh_token.slice(4, 30)])
        assert.ok(!rows.includes(secret), table)
    }

    service.clock.advance(HOUR_MS)
    assert.equal(await readsWith(body.access_token), 401)
    const renewed = await client.refresh(id, body.refresh_token)
    assert.equal(await readsWith(renewed.body.access_token), 200)
  })

  test('[AGT-33] in production tools beyond reading need a proof of identity; the agent gets those that were chosen', async () => {
    const query = client.query(newClient(), BACK)
    const path = grantsPath(project.production)
    const tools = ['ban_player']
    assert.deepEqual(codeOf(await developer().call('POST', path, { query, tools })), [401, 'reauth_required'])
    const wrong = await developer().call('POST', path, { query, tools, password: 'wrong' })
    assert.deepEqual(codeOf(wrong), [401, 'invalid_credentials'])
    assert.equal((await developer().call('POST', path, { query, tools: ['nothing'] })).status, 400)
    const { scope } = await connected(project.production, { tools, password: 'correct horse' })
    assert.equal(scope, 'read ban_player')
    const viewer = await newMember(service, project, 'viewer')
    assert.deepEqual(codeOf(await viewer.call('POST', path, { query })), [403, 'role_required'])
  })

  test('[AGT-34] a code works once: a second use ends the grant', async () => {
    const { id, code, access_token, refresh_token } = await connected()
    const again = await client.exchange(id, BACK, code)
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
    assert.equal(await readsWith(access_token), 401)
    assert.equal((await client.refresh(id, refresh_token)).body.error, 'invalid_grant')
  })

  test('[AGT-34] of several concurrent exchanges of a code none leaves a token that works', async () => {
    const id = newClient()
    const { code } = await client.consent(project, project.development, client.query(id, BACK))
    const answers = await Promise.all([1, 2, 3].map(() => client.exchange(id, BACK, code)))
    const tokens = answers.flatMap(({ body }) => body.access_token ?? [])
    assert.ok(tokens.length <= 1)
    for (const token of tokens) assert.equal(await readsWith(token), 401)
  })

  test('[AGT-34] a code expires after a minute, and so does the agent that it was for', async () => {
    const id = newClient()
    const { code, agent } = await client.consent(project, project.development, client.query(id, BACK))
    service.clock.advance(MINUTE_MS)
    assert.equal((await client.exchange(id, BACK, code)).body.error, 'invalid_grant')
    const { status } = await developer().call('GET', `${agentsPath(project.development)}/${agent.id}`)
    assert.equal(status, 404)
  })

  test('[AGT-35] another verifier, client, redirect URI or resource gets no token, and the code is spent', async () => {
    const wrong: [string, Record<string, string>][] = [
      ['invalid_grant', { code_verifier: 'b'.repeat(64) }],
      ['invalid_grant', { code_verifier: '' }],
      ['invalid_grant', { client_id: newClient() }],
      ['invalid_grant', { redirect_uri: 'http://127.0.0.1:1/callback' }],
    ]
    for (const [error, changed] of wrong) {
      const id = newClient()
      const { code } = await client.consent(project, project.development, client.query(id, BACK))
      const { status, body } = await client.exchange(id, BACK, code, changed)
      assert.deepEqual([status, body.error], [400, error], JSON.stringify(changed))
      assert.equal((await client.exchange(id, BACK, code)).body.error, 'invalid_grant')
    }
    const id = newClient()
    const { code } = await client.consent(project, project.development, client.query(id, BACK))
    const target = await client.exchange(id, BACK, code, { resource: `${baseUrl}/v1` })
    assert.equal(target.body.error, 'invalid_target')
    const type = await client.exchange(id, BACK, code, { grant_type: 'password' })
    assert.equal(type.body.error, 'unsupported_grant_type')
    assert.equal((await client.post('/oauth/token', {})).body.error, 'invalid_request')
  })

  test('[AGT-35] a request without PKCE by S256, or for another resource, is not granted and the client is told why', async () => {
    const id = newClient()
    const wrong: [string, Record<string, string | undefined>][] = [
      ['invalid_request', { code_challenge: undefined }],
      ['invalid_request', { code_challenge: 'short' }],
      ['invalid_request', { code_challenge_method: 'plain' }],
      ['invalid_request', { code_challenge_method: undefined }],
      ['invalid_target', { resource: undefined }],
      ['invalid_target', { resource: `${baseUrl}/mcp/` }],
      ['unsupported_response_type', { response_type: 'token' }],
    ]
    for (const [error, changed] of wrong) {
      const query = client.query(id, BACK, changed)
      const { body } = await find(query)
      assert.equal(new URL(body.refuseTo).searchParams.get('error'), error, JSON.stringify(changed))
      assert.notEqual(body.problem, null)
      const granted = await developer().call('POST', grantsPath(project.development), { query })
      assert.deepEqual(codeOf(granted), [400, 'authorization_invalid'])
    }
  })

  test('[AGT-36] redirect URIs are compared exactly, except the port of loopback', async () => {
    const [https, app] = ['https://app.example/back?x=1', 'com.example.app:/back']
    const id = newClient({ redirect_uris: [https, app, BACK, 'http://[::1]/six'] })
    const allowed = [https, app, BACK, 'http://127.0.0.1:4711/callback', 'http://[::1]:9/six']
    for (const uri of allowed) assert.equal(await reasonOf(client.query(id, uri)), 'ok', uri)
    const refused = [
      '',
      'https://app.example/back',
      'https://app.example/back?x=1&y=2',
      'https://app.example:8443/back?x=1',
      'https://app.example.evil.example/back?x=1',
      'https://app.example@evil.example/back?x=1',
      'http://127.0.0.1/callback/../other',
      'http://127.0.0.1:80/callback#f',
      'http://127.0.0.1.evil.example/callback',
      'http://localhost/callback',
      'https://127.0.0.1/callback',
      'http://user@127.0.0.1/callback',
      'com.example.app:/other',
    ]
    for (const uri of refused) assert.match(await reasonOf(client.query(id, uri)), /redirect_uri/, uri)
    const twice = `${client.query(id, BACK)}&redirect_uri=${encodeURIComponent(BACK)}`
    assert.match(await reasonOf(twice), /redirect_uri/)
  })

  test('[AGT-36] a document cannot register a redirect URI that runs on our page or is not protected', async () => {
    const hostile = [
      'javascript:alert(1)//',
      'data:text/html,x',
      'blob:https://app.example/x',
      'http://app.example/back',
      'ftp://app.example/back',
      'file:///etc/passwd',
      'cursor://back',
    ]
    const id = newClient({ redirect_uris: hostile })
    for (const uri of hostile) assert.match(await reasonOf(client.query(id, uri)), /redirect_uri/, uri)
  })

  test('[AGT-37] hostile documents are refused, and the text of a name is cut and cleaned', async () => {
    const wrong: [RegExp, object | string, number?][] = [
      [/not a JSON object/, 'no json'],
      [/not a JSON object/, '[]'],
      [/not a JSON object/, 'null'],
      [/another client_id/, { client_id: 'https://other.example/client' }],
      [/asks for a secret/, { token_endpoint_auth_method: 'client_secret_post' }],
      [/redirect_uris/, { redirect_uris: undefined }],
      [/redirect_uris/, { redirect_uris: [] }],
      [/redirect_uris/, { redirect_uris: [1] }],
      [/redirect_uris/, { redirect_uris: Array.from({ length: 21 }, () => BACK) }],
      [/answers 404/, {}, 404],
      [/answers 302/, {}, 302],
      [/more than 16384 bytes/, { filler: 'x'.repeat(LIMITS.agentClientBytesMax) }],
    ]
    for (const [reason, document, status] of wrong)
      assert.match(await reasonOf(client.query(newClient(document, status), BACK)), reason)

    const name = `\u202e<img src=x onerror=alert(1)>${'😀'.repeat(100)}`
    const { body } = await find(client.query(newClient({ client_name: name }), BACK))
    assert.equal(Array.from(body.client.name).length, 80)
    assert.ok(body.client.name.startsWith('<img') && body.client.name.endsWith('😀'))
    for (const unseen of ['', ' ', '\u2800', 7]) {
      const id = newClient({ client_name: unseen })
      assert.equal((await find(client.query(id, BACK))).body.client.name, new URL(id).host)
    }
  })

  test('[AGT-37] a client_id is a plain https URL with a path; others are not called', async () => {
    documents.take()
    const here = `http://127.0.0.1:${documents.port}`
    const wrong = [
      '',
      'agc_nothing',
      here,
      `${here}/`,
      `${here}/a?b`,
      `${here}/a#b`,
      `${here}/a/../b`,
      `http://user@127.0.0.1:${documents.port}/a`,
      'http://app.example/client',
      'ftp://app.example/client',
      `${here}/${'a'.repeat(500)}`,
    ]
    for (const id of wrong) assert.match(await reasonOf(client.query(id, BACK)), /client_id must be/, id)
    assert.match(await reasonOf(client.query('https://10.0.0.1/client', BACK)), /not on the public internet/)
    assert.equal(documents.take().length, 0)
  })

  test('[AGT-38] a refresh token works once: the next is another one, and an earlier one ends the grant', async () => {
    const { id, agent, ...first } = await connected()
    const second = (await client.refresh(id, first.refresh_token)).body
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.equal(await readsWith(first.access_token), 401)
    assert.equal(await readsWith(second.access_token), 200)
    const third = (await client.refresh(id, second.refresh_token)).body
    assert.equal(await readsWith(third.access_token), 200)

    const reused = await client.refresh(id, first.refresh_token)
    assert.deepEqual([reused.status, reused.body.error], [400, 'invalid_grant'])
    assert.equal(await readsWith(third.access_token), 401)
    assert.equal((await client.refresh(id, third.refresh_token)).body.error, 'invalid_grant')
    const { body } = await developer().call('GET', `/v1/projects/${project.id}/audit?limit=1`)
    const [entry] = body.entries
    assert.deepEqual([entry.action, entry.target, entry.actor.type], ['agent.revoke', agent.id, 'system'])
    assert.match(entry.details.reason, /used before/)
  })

  test('[AGT-38] two windows of a client that use one token within seconds get the same answer', async () => {
    const { id, refresh_token } = await connected()
    const answers = await Promise.all([1, 2, 3].map(() => client.refresh(id, refresh_token)))
    const [{ body }] = answers as [(typeof answers)[0]]
    assert.notEqual(body.refresh_token, refresh_token)
    for (const answer of answers) assert.deepEqual([answer.status, answer.body], [200, body])

    service.clock.advance(9_999)
    const late = await client.refresh(id, refresh_token)
    assert.deepEqual([late.status, late.body.access_token], [200, body.access_token])
    assert.equal(late.body.refresh_token, body.refresh_token)
    assert.equal(late.body.expires_in, body.expires_in - 10)
    assert.equal(await readsWith(body.access_token), 200)

    const next = (await client.refresh(id, body.refresh_token)).body
    assert.equal(await readsWith(next.access_token), 200)
    assert.equal(await readsWith(body.access_token), 401)
  })

  test('[AGT-38] a token that is used again after ten seconds, or after its successor, ends the grant', async () => {
    for (const isLate of [true, false]) {
      const { id, refresh_token } = await connected()
      const second = (await client.refresh(id, refresh_token)).body
      if (isLate) service.clock.advance(10_000)
      const newest = isLate ? second : (await client.refresh(id, second.refresh_token)).body
      assert.equal(await readsWith(newest.access_token), 200)
      assert.equal((await client.refresh(id, refresh_token)).body.error, 'invalid_grant')
      assert.equal(await readsWith(newest.access_token), 401)
      assert.equal((await client.refresh(id, newest.refresh_token)).body.error, 'invalid_grant')
    }
  })

  test('[AGT-38] a refresh token of another client, and a wrong one, get nothing', async () => {
    const { id, refresh_token, access_token } = await connected()
    for (const [clientId, token] of [
      [newClient(), refresh_token],
      [id, ''],
      [id, access_token],
      [id, `agr_${'x'.repeat(52)}`],
    ] as const)
      assert.equal((await client.refresh(clientId, token)).body.error, 'invalid_grant')
  })

  test('[AGT-39] a grant that is revoked in the list of agents gives no more tokens', async () => {
    const { id, agent, access_token, refresh_token } = await connected()
    const path = `${agentsPath(project.development)}/${agent.id}`
    assert.equal((await developer().call('DELETE', path)).status, 200)
    assert.equal(await readsWith(access_token), 401)
    assert.equal((await client.refresh(id, refresh_token)).body.error, 'invalid_grant')
  })

  test('[AGT-39] a member who is removed, or loses the role, gets no more tokens', async () => {
    const member = await newMember(service, project, 'developer')
    const id = newClient()
    const consent = () => client.consent({ developer: member }, project.development, client.query(id, BACK))
    const first = (await client.exchange(id, BACK, (await consent()).code)).body
    const { code } = await consent()
    const path = `/v1/x/projects/${project.id}/members/${member.id}`
    assert.equal((await developer().call('PATCH', path, { role: 'viewer' })).status, 200)
    assert.equal((await client.refresh(id, first.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await client.exchange(id, BACK, code)).body.error, 'invalid_grant')
    await developer().call('DELETE', path)
    assert.equal((await client.refresh(id, first.refresh_token)).body.error, 'invalid_grant')
    assert.equal(await readsWith(first.access_token), 401)
  })

  test('[AGT-40] a client gives its grant back with either token; unknown tokens are answered alike', async () => {
    for (const name of ['access_token', 'refresh_token'] as const) {
      const grant = await connected()
      const other = await client.post('/oauth/revoke', { token: grant[name], client_id: 'other' })
      assert.equal(other.status, 200)
      assert.equal(await readsWith(grant.access_token), 200)
      const { status, body } = await client.post('/oauth/revoke', { token: grant[name], client_id: grant.id })
      assert.deepEqual([status, body], [200, {}])
      assert.equal(await readsWith(grant.access_token), 401)
      assert.equal((await client.refresh(grant.id, grant.refresh_token)).body.error, 'invalid_grant')
    }
    assert.equal((await client.post('/oauth/revoke', { token: 'agt_unknown' })).status, 200)
    assert.equal((await client.post('/oauth/revoke', {})).status, 200)
  })

  test('[AGT-41] an operator adds clients, also of native apps, and a removed one gets no more tokens', async () => {
    const clients = service.agentClients
    const app = 'cursor://app.example/oauth'
    const added = await clients.add(' My \u202eeditor ', [app])
    assert.ok('id' in added)
    const { body } = await find(client.query(added.id, app))
    assert.deepEqual(body.client, { id: added.id, name: 'My editor', host: null })
    const { code } = await client.consent(project, project.development, client.query(added.id, app))
    const tokens = (await client.exchange(added.id, app, code)).body
    assert.deepEqual(
      (await clients.list()).map(({ id, redirectUris }) => [id, redirectUris]),
      [[added.id, [app]]],
    )
    assert.ok(await clients.remove(added.id))
    assert.ok(!(await clients.remove(added.id)))
    assert.equal((await client.refresh(added.id, tokens.refresh_token)).body.error, 'invalid_client')
    for (const uris of [[], ['javascript:alert(1)'], ['http://app.example/back'], ['no url']])
      assert.ok('problem' in (await clients.add('x', uris)), String(uris))
    assert.ok('problem' in (await clients.add('\u2800', [app])))
  })

  test('[AGT-42] an environment has at most 20 live agents, also those of clients', async () => {
    const other = await service.newProject()
    const query = client.query(newClient(), BACK)
    for (let agent = 0; agent < 20; agent++) await client.consent(other, other.production, query)
    const next = () => other.developer.call('POST', grantsPath(other.production), { query })
    assert.deepEqual(codeOf(await next()), [409, 'too_many_agents'])
    // Codes that nobody exchanged.
    service.clock.advance(MINUTE_MS)
    assert.equal((await next()).status, 201)
  })

  test('[AGT-42] requests for tokens are limited per address', async () => {
    service.clock.advance(MINUTE_MS)
    let last = await client.post('/oauth/revoke', {})
    for (let request = 0; request < LIMITS.agentTokenRequestsPerMinuteMax; request++)
      last = await client.post('/oauth/revoke', {})
    assert.deepEqual([last.status, last.body.error], [429, 'temporarily_unavailable'])
    assert.ok(Number(last.headers['retry-after']) >= 1)
  })
  // The last one: the session of the developer ends with the grant.
  test('[AGT-32] a grant ends after 30 days, however often it was refreshed', async () => {
    service.clock.advance(MINUTE_MS)
    const { id, refresh_token } = await connected()
    service.clock.advance(30 * DAY_MS - 1)
    const { body } = await client.refresh(id, refresh_token)
    assert.match(body.access_token, /^agt_/)
    service.clock.advance(1)
    assert.equal((await client.refresh(id, body.refresh_token)).body.error, 'invalid_grant')
    assert.equal(await readsWith(body.access_token), 401)
    await service.everyHour()
    assert.deepEqual(await service.db.search((q) => q.selectFrom('agents_grants').select('id')), [])
  })
})
