import { type ServerProcess, setUpCallerOf } from '../server-process.ts'

export type GameServer = Awaited<ReturnType<typeof newGameServer>>
type Address = Pick<ServerProcess, 'port'>
export type SignedIn = { id: string; accessToken: string }

let count = 0

/** Creates a project on a server program, for players who connect over the network. */
export async function newGameServer(server: Address, config: object) {
  const call = setUpCallerOf(server)
  const account = { email: `game${++count}-${process.pid}@example.com`, password: 'correct horse' }
  const { body: session } = await call('POST', '/v1/developers/signup', { body: account })
  const { token } = session
  const { body } = await call('POST', '/v1/projects', { token, body: { name: 'Star Duel' } })
  const keyOf = (type: string): string =>
    body.keys.find(
      (key: Record<string, string>) => `${key['environment']} ${key['type']}` === `development ${type}`,
    ).key
  const secretKey = keyOf('secret')
  const publishableKey = keyOf('publishable')
  await call('PUT', '/v1/config', { key: secretKey, body: config })

  return {
    secretKey,
    publishableKey,

    newPlayer: newPlayerOf(publishableKey, server),
  }
}

/** Creates a guest. */
export const newPlayerOf =
  (key: string, server: Address) =>
  async (at: Address = server): Promise<SignedIn> => {
    const { body } = await setUpCallerOf(at)('POST', '/v1/auth/guest', { key, body: {} })
    return { id: body.player.id, accessToken: body.accessToken }
  }
