import type { EventHint } from '@svc/contract/events'

import { refusal, SvcError } from '../http/errors.ts'

/** What happens on a stream of events. */
export type EventHandlers = {
  /** The stream is open: what changes from now on is reported. */
  onOpen?(): void
  /** Something has changed; read it again to see it. */
  onHint(hint: EventHint): void
}

/** The service sends something every 15 seconds. */
const SILENCE_MAX_MS = 40_000
/** Longer than any event: a stream that sends more without an end is not one of the service. */
const EVENT_LENGTH_MAX = 64 * 1024

/** Reads a stream of server-sent events until it ends. Rejects with `SvcError` if it is refused or breaks. */
export async function readEvents(
  open: (signal: AbortSignal) => Promise<Response>,
  { onOpen, onHint }: EventHandlers,
): Promise<void> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS)
  try {
    const response = await open(silence.signal)
    if (!response.ok || !response.body) throw refusal(await errorIn(response), response.status)
    let text = ''
    const decoder = new TextDecoder()
    const reader = response.body.getReader()
    onOpen?.()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS)
      const events = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = events.pop() ?? ''
      if (text.length > EVENT_LENGTH_MAX) throw new SvcError('unexpected_answer')
      for (const event of events)
        if (event.startsWith('data: ')) onHint(JSON.parse(event.slice(6)) as EventHint)
    }
  } catch (error) {
    silence.abort()
    throw error instanceof SvcError ? error : new SvcError('network_error', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

const errorIn = async (response: Response): Promise<unknown> =>
  ((await response.json().catch(() => ({}))) as { error?: unknown }).error
