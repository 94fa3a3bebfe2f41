import type { PlayerSummary } from '@svc/contract/players'
import { useEffect, useRef, useState } from 'preact/hooks'

import { asSvcError, call, type RequestOf, type ResponseOf } from '../../developer.ts'
import { number } from '../../format.ts'
import { download } from '../../platform.ts'
import type { Route } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { DownloadIcon } from '../../ui/icons.ts'
import { notify, notifyError } from '../../ui/messages.tsx'
import { csvLine } from '../audit/csv.ts'

/** The most that one request returns. */
const PAGE_SIZE = 200
/** The file is built in the memory of the tab. */
const PLAYERS_MAX = 500_000
const COLUMNS = ['id', 'name', 'email', 'guest', 'banned', 'createdAt', 'lastSeenAt']

type Query = NonNullable<RequestOf<'searchPlayers'>['query']>

/** All players of the list as a file, newest first: players who are seen meanwhile do not move in this order. */
export function PlayersCsv({ route, query }: { route: Route; query: Query }) {
  const [count, setCount] = useState<number>()
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  const exportCsv = async () => {
    const controller = new AbortController()
    running.current = controller
    setCount(0)
    try {
      const parts = [csvLine(COLUMNS)]
      let cursor: string | null = null
      let rows = 0
      do {
        const page: ResponseOf<'searchPlayers'> = await readPage(
          {
            params: route.params,
            query: { ...query, limit: PAGE_SIZE, ...(cursor !== null && { cursor }) },
          },
          controller.signal,
        )
        parts.push(page.players.map(toLine).join(''))
        rows += page.players.length
        setCount(rows)
        cursor = page.nextCursor
      } while (cursor !== null && rows < PLAYERS_MAX)
      download(`${route.project.slug}-${route.env}-players.csv`, 'text/csv', parts.join(''))
      if (cursor !== null) notify(`The file contains the ${number(rows)} newest players.`)
    } catch (error) {
      if (!controller.signal.aborted) notifyError(asSvcError(error))
    }
    setCount(undefined)
  }
  return count === undefined ? (
    <Button icon={DownloadIcon} onClick={exportCsv}>
      CSV
    </Button>
  ) : (
    <Button onClick={() => running.current?.abort()}>Cancel ({number(count)} read)</Button>
  )
}

/** Waits as long as the rate limit asks for. */
async function readPage(
  request: RequestOf<'searchPlayers'>,
  signal: AbortSignal,
): Promise<ResponseOf<'searchPlayers'>> {
  for (;;) {
    try {
      return await call('searchPlayers', request, { signal })
    } catch (error) {
      const { code, details } = asSvcError(error)
      if (code !== 'rate_limited') throw error
      await waitSeconds(Number(details['retryAfterSeconds'] ?? 1), signal)
    }
  }
}

const waitSeconds = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })

const toLine = ({ id, displayName, email, isGuest, banned, createdAt, lastSeenAt }: PlayerSummary) =>
  csvLine([id, displayName, email ?? '', String(isGuest), String(banned), createdAt, lastSeenAt ?? ''])
