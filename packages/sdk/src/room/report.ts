import type { Submitted } from '../data/stats.ts'

type Service = { fetch(url: string, init: object): Promise<Response> }

/** Reports stats of a player through the binding `SVC`, with the rights of a server. */
export async function reportStats(
  env: unknown,
  playerId: string,
  stats: Record<string, number>,
): Promise<Submitted> {
  const { SVC: service } = (env ?? {}) as { SVC?: Service }
  if (service === undefined)
    throw new Error('report needs the binding env.SVC, which this process does not have.')
  const response = await service.fetch(
    `http://svc/v1/admin/x/players/${encodeURIComponent(playerId)}/stats`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ stats }),
    },
  )
  if (response.ok) return (await response.json()) as Submitted
  throw new Error(`The stats of ${playerId} were not stored (${response.status}): ${await response.text()}`)
}
