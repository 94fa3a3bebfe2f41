import type { Operation } from './peers.ts'
import { type Request, UNIQUE } from './requests.ts'
import { DATA } from './saves.ts'
import { call } from './service.ts'

const PLAYERS = 100
const APP = { 'X-Parse-Application-Id': 'bench' }
const ACCOUNT = { username: 'bench', password: 'correct horse battery' }

type Created = { objectId: string }

/** Creates anonymous users, each with one object for a save and one for counters. Only the owner may access them. */
export async function seedParseServer(port: number): Promise<Record<Operation, Request[]>> {
  const requests: Record<Operation, Request[]> = {
    guest: [post('/parse/users', { authData: { anonymous: { id: UNIQUE } } }, 201)],
    logIn: [post('/parse/login', ACCOUNT, 200)],
    profile: [],
    saveRead: [],
    saveWrite: [],
    statsSubmit: [],
  }
  await call(port, 'POST', '/parse/users', APP, ACCOUNT)

  for (let i = 0; i < PLAYERS; i++) {
    const authData = { anonymous: { id: `player-${i}` } }
    const user = await call<Created & { sessionToken: string }>(port, 'POST', '/parse/users', APP, {
      authData,
    })
    const headers = { ...APP, 'X-Parse-Session-Token': user.sessionToken }
    const ACL = { [user.objectId]: { read: true, write: true } }
    const create = async (name: string, fields: object) => {
      const { objectId } = await call<Created>(port, 'POST', `/parse/classes/${name}`, headers, {
        ...fields,
        ACL,
      })
      return `/parse/classes/${name}/${objectId}`
    }
    const save = await create('Save', { key: 'slot1', data: JSON.parse(DATA) as unknown })
    const stats = await create('Stats', { games: 0, points: 0, best: 0 })

    const changes = { games: add(1), points: add(10 + i), best: 100 * i }
    requests.profile.push({ path: '/parse/users/me', headers, status: 200 })
    requests.saveRead.push({ path: save, headers, status: 200 })
    requests.saveWrite.push({ method: 'PUT', path: save, headers, body: `{"data":${DATA}}`, status: 200 })
    requests.statsSubmit.push({
      method: 'PUT',
      path: stats,
      headers,
      body: JSON.stringify(changes),
      status: 200,
    })
  }
  return requests
}

const add = (amount: number) => ({ __op: 'Increment', amount })

const post = (path: string, body: object, status: number): Request => ({
  method: 'POST',
  path,
  headers: APP,
  body: JSON.stringify(body),
  status,
})
