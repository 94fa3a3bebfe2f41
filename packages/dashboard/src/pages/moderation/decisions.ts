import { signal } from '@preact/signals'
import type { AppealEntry } from '@svc/contract/moderation'

import { call } from '../../developer.ts'
import { refresh } from '../../queries.ts'
import type { EnvironmentParams } from '../../route.ts'
import { notify, notifyError, UNDO_MS } from '../../ui/messages.tsx'

type Decision = { timer: ReturnType<typeof setTimeout>; send: () => Promise<void> }

/** Decisions that are not sent yet: they can be undone for ten seconds. By appeal. */
const waiting = new Map<string, Decision>()

/** Appeals that were decided on this page; the list leaves them out. */
export const decided = signal<ReadonlySet<string>>(new Set())

const without = (id: string) => new Set([...decided.value].filter((one) => one !== id))

/** Decides an appeal; the service learns it after ten seconds, until then it can be undone. */
export function decide(
  params: EnvironmentParams,
  appeal: AppealEntry,
  { accept, response, onUndo }: { accept: boolean; response: string; onUndo: () => void },
) {
  const send = async () => {
    waiting.delete(appeal.id)
    try {
      await call('resolveAppeal', {
        params: { ...params, appealId: appeal.id },
        body: { accept, ...(response.trim() && { response: response.trim() }) },
      })
      refresh('listAppeals', 'readPlayerDetail', 'searchPlayers', 'listAudit', 'readOverview')
    } catch (error) {
      decided.value = without(appeal.id)
      notifyError(error)
    }
  }
  decided.value = new Set([...decided.value, appeal.id])
  waiting.set(appeal.id, { send, timer: setTimeout(() => void send(), UNDO_MS) })
  const name = appeal.player.displayName
  notify(accept ? `Accepted: ${name}’s ban will be lifted.` : `Rejected: ${name} stays banned.`, {
    undo: () => {
      clearTimeout(waiting.get(appeal.id)?.timer)
      waiting.delete(appeal.id)
      decided.value = without(appeal.id)
      onUndo()
    },
  })
}

/** A person who leaves the page or closes the tab has decided. */
export function sendAll() {
  for (const { timer, send } of waiting.values()) {
    clearTimeout(timer)
    void send()
  }
}
