import type { Answer, Call, Service } from './service.ts'

/** An environment of `newProject`, or anything with its publishable key. */
type Side = { publishableKey: string }

export type Saver = Awaited<ReturnType<typeof newSaver>>
/** The same player on one of several nodes. */
export type SaverAt = ReturnType<Saver['at']>

/** A guest who saves: through the caller that checks the contract, or with raw bytes. */
export async function newSaver(service: Service, { publishableKey }: Side) {
  const { body } = await service.withKey(publishableKey)('POST', '/v1/auth/guest', {})
  const headers = { 'x-svc-key': publishableKey, authorization: `Bearer ${body.accessToken}` }
  const [, payload = ''] = String(body.accessToken).split('.')
  const { aud } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { aud: string }

  const at = (node: Service) => {
    const call: Call = (method, url, input, more) => node.call(method, url, input, { ...headers, ...more })
    const inject = (options: { method: 'GET' | 'PUT'; url: string; payload?: string | Buffer }) =>
      node.http.inject({ ...options, headers: { ...headers, 'content-type': 'application/json' } })

    return {
      headers,
      playerId: body.player.id as string,
      environmentId: aud,
      call,
      write: (
        key: string,
        save: { data: unknown; ifVersion?: number; unanswered?: number[] },
      ): Promise<Answer> => call('PUT', `/v1/saves/${key}`, save),

      /** Sends the body unchanged. */
      async raw(key: string, text: string | Buffer) {
        const answer = await inject({ method: 'PUT', url: `/v1/saves/${key}`, payload: text })
        return { status: answer.statusCode, body: answer.json() as Answer['body'] }
      },

      /** The text of the data. */
      async readText(key: string): Promise<string> {
        const { body: text } = await inject({ method: 'GET', url: `/v1/saves/${key}` })
        return text.slice(text.indexOf('"data":') + 7, -1)
      },
    }
  }
  return { ...at(service), at }
}
