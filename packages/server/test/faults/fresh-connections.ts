import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

import { type ServerProcess, setUpCallerOf, startServer } from '../server-process.ts'

export type Outcome = { rounds: number; wrong: string[] }

/** Starts a server program with a project. */
export async function startServerWithProject() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-fresh-'))
  const server = await startServer({ SVC_DATA_DIR: folder, SVC_RATE_LIMITS: 'off' })
  const call = setUpCallerOf(server)
  const account = { email: 'dev@example.com', password: 'correct horse' }
  const { body: developer } = await call('POST', '/v1/developers/signup', { body: account })
  const { body } = await call('POST', '/v1/projects', { token: developer.token, body: { name: 'Duel' } })
  const { key } = body.keys.find(
    ({ type, environment }: Record<string, string>) => `${type} ${environment}` === 'publishable development',
  )
  return {
    server,
    key: String(key),
    newToken: async (): Promise<string> =>
      (await call('POST', '/v1/auth/guest', { key, body: {} })).body.refreshToken,
    async stop() {
      server.signal('SIGTERM')
      await server.ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
type Started = Awaited<ReturnType<typeof startServerWithProject>>

/** One request on a connection of its own. Returns the error code, or the new token. */
async function refreshOnFreshConnection({ port }: ServerProcess, key: string, refreshToken: string) {
  const body = JSON.stringify({ refreshToken })
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST /v1/auth/refresh HTTP/1.1\r\nHost: localhost\r\nX-Svc-Key: ${key}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const [, json = ''] = (await text(socket)).split('\r\n\r\n')
  const answer = JSON.parse(json)
  return { code: answer.error?.code as string | undefined, refreshToken: answer.refreshToken as string }
}

/** `callers` use one token together: one wins, the others lose a race. Then the winner's token is used, and replayed. */
export async function freshRounds(
  { server, key, newToken }: Started,
  rounds: number,
  callers: number,
): Promise<Outcome> {
  const wrong: string[] = []
  const refresh = (token: string) => refreshOnFreshConnection(server, key, token)
  for (let round = 0; round < rounds; round++) {
    const token = await newToken()
    const answers = await Promise.all(Array.from({ length: callers }, () => refresh(token)))
    const [winner, ...others] = answers.filter(({ code }) => code === undefined)
    const lost = answers.filter(({ code }) => code === 'refresh_race').length
    if (!winner || others.length > 0 || lost !== callers - 1) {
      wrong.push(`${others.length + (winner ? 1 : 0)} won, ${lost} lost a race`)
      continue
    }
    const next = await refresh(winner.refreshToken)
    const replay = await refresh(winner.refreshToken)
    if (next.code !== undefined || replay.code !== 'session_revoked')
      wrong.push(`next ${next.code}, replay ${replay.code}`)
  }
  return { rounds, wrong }
}

/** Processes that compute without end, to load the machine. */
export function startLoad(processes: number) {
  const busy = Array.from(
    { length: processes },
    // The kernel ends them with this process.
    (): ChildProcess =>
      spawn('setpriv', ['--pdeathsig', 'SIGKILL', process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  const ended = busy.map((child) => once(child, 'exit'))
  return async () => {
    for (const child of busy) child.kill('SIGKILL')
    await Promise.all(ended)
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '500' }, load: { type: 'string', default: '0' } },
  })
  const started = await startServerWithProject()
  const endLoad = startLoad(Number(values.load))
  const { rounds, wrong } = await freshRounds(started, Number(values.rounds), 20)
  await endLoad()
  await started.stop()
  console.log(
    `load ${values.load}, 20 fresh connections: ${rounds} rounds, ${wrong.length} wrong`,
    wrong.slice(0, 5),
  )
  assert.deepEqual(wrong, [])
}
