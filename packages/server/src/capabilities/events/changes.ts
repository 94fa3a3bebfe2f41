import type { EventHint } from '@svc/contract/events'

import type { Environment } from '../../platform/environment.ts'

type ChangeDeps = {
  /** Audited changes after the entry with this number, oldest first, and the number of the newest entry. */
  auditAfter(
    projectId: string,
    sequence: number | undefined,
    limit: number,
  ): Promise<{ sequence: number; changes: { env: string | null; action: string; target: string | null }[] }>
  /** For what is not audited, by topic: a text that differs after a change. */
  marks: Record<string, (environment: Environment) => Promise<string>>
}

/** What was known at the last poll. */
export type Seen = { sequence: number; marks: Record<string, string> }
export type Changes = ReturnType<typeof createChanges>

const AUDITED_MAX = 100

/** Compares an environment with what was seen of it before. It reads the database, so it finds the changes of all nodes. */
export function createChanges({ auditAfter, marks }: ChangeDeps) {
  async function readMarks(environment: Environment) {
    const entries = Object.entries(marks).map(
      async ([topic, read]) => [topic, await read(environment)] as const,
    )
    return Object.fromEntries(await Promise.all(entries))
  }

  return async function compare(
    environment: Environment,
    before: Seen | undefined,
  ): Promise<{ seen: Seen; hints: EventHint[] }> {
    const [audited, now] = await Promise.all([
      auditAfter(environment.projectId, before?.sequence, AUDITED_MAX),
      readMarks(environment),
    ])
    const seen = { sequence: audited.sequence, marks: now }
    if (!before) return { seen, hints: [] }
    if (audited.sequence - before.sequence > AUDITED_MAX) return { seen, hints: [{ topic: 'all' }] }

    const hints = new Map<string, EventHint>()
    for (const { env, action, target } of audited.changes) {
      if (env !== null && env !== environment.name) continue
      const [topic = ''] = action.split('.')
      hints.set(`${topic} ${target}`, { topic, ...(target !== null && { id: target }) })
    }
    for (const [topic, mark] of Object.entries(now))
      if (mark !== before.marks[topic]) hints.set(topic, { topic })
    return { seen, hints: [...hints.values()] }
  }
}
