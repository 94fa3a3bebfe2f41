import type { AddressInfo } from 'node:net'

import type { Service } from './service.ts'

type Hint = { topic: string; id?: string }

/** Where the service listens; it listens from the first call on. */
export async function addressOf(service: Pick<Service, 'http'>): Promise<string> {
  if (!service.http.server.listening) await service.http.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(service.http.server.address() as AddressInfo).port}`
}

/** A client of its own for each stream; `text` is what has arrived. */
export async function follow(service: Pick<Service, 'http'>, path: string, token: string) {
  const leaving = new AbortController()
  const response = await fetch(`${await addressOf(service)}${path}/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  })
  const stream = { status: response.status, headers: response.headers, text: '', hasEnded: false, code: '' }
  if (response.status !== 200) {
    const { error } = (await response.json()) as { error: { code: string } }
    return { ...stream, code: error.code, hints: (): Hint[] => [], leave() {}, ended: Promise.resolve() }
  }
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) stream.text += decoder.decode(bytes, { stream: true })
  }
  const ended = read()
    .catch(() => {})
    .finally(() => (stream.hasEnded = true))
  return Object.assign(stream, {
    ended,
    leave: () => leaving.abort(),
    hints: (): Hint[] => [...stream.text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json)),
  })
}
