// Queues: one SQLite file per queue, in a Durable Object whose alarm delivers. Speaks the protocol of workerd's `queue` binding.
import { DurableObject } from 'cloudflare:workers'

import { deliveries } from './deliveries.ts'
import type { Context, Objects, ObjectState, Sql } from './runtime.ts'

type Consumer = {
  maxBatchSize: number
  maxBatchTimeoutSeconds: number
  maxRetries: number
  retryDelaySeconds: number
  deadLetterQueue?: string | undefined
}
type Sent = { body: ArrayBuffer; format: string; delaySeconds: number }
type Message = {
  id: string
  sentAt: number
  format: string
  body: ArrayBuffer
  attempts: number
  isClaimed: number
}
type Columns = Message & { name: string; count: number; dueAt: number | null }
type Batched = { body: string; contentType?: string; delaySecs?: number }
/** What workerd returns after the consumer. */
type Answer = {
  outcome: string
  ackAll?: boolean
  retryBatch?: { retry: boolean; delaySeconds?: number }
  explicitAcks?: string[]
  retryMessages?: { msgId: string; delaySeconds?: number }[]
}
type Env = {
  QUEUES: Objects<Queue>
  CONSUMERS: Record<string, Consumer>
  EVENTS_AFTER_MS: number
  IS_FULL: boolean
  USER: { queue(name: string, messages: unknown[]): Promise<Answer> }
}

const MESSAGE_BYTES_MAX = 128 * 1024
const BATCHES_PER_ALARM_MAX = 50
const SOON_MS = 50
/** A dead-letter queue may be full. */
const DEAD_LETTER_RETRY_SECONDS = 60

const decoder = new TextDecoder()

/** One queue: keeps its messages, and delivers those that are due, with its alarm. */
export class Queue extends DurableObject<Env, Columns> {
  readonly sql: Sql<Columns>
  knownName: string | undefined

  constructor(context: ObjectState<Columns>, env: Env) {
    super(context, env)
    this.sql = context.storage.sql

    this.sql.exec(`
      CREATE TABLE IF NOT EXISTS messages
        (id TEXT PRIMARY KEY, sentAt INTEGER, dueAt INTEGER, format TEXT, body BLOB, attempts INTEGER DEFAULT 0);
      CREATE INDEX IF NOT EXISTS messages_due ON messages (dueAt);
      CREATE TABLE IF NOT EXISTS claims (id TEXT PRIMARY KEY);
      CREATE TABLE IF NOT EXISTS name (name TEXT)`)
  }

  /** An alarm does not know the name that its object was addressed by. */
  get name(): string | undefined {
    return (this.knownName ??= this.sql.exec('SELECT name FROM name').toArray()[0]?.name)
  }

  get consumer(): Consumer | undefined {
    return this.name === undefined ? undefined : this.env.CONSUMERS[this.name]
  }

  remember(name: string) {
    if (this.name === undefined) this.sql.exec('INSERT INTO name VALUES (?)', name)
  }

  async send(name: string, messages: readonly Sent[]) {
    if (this.env.IS_FULL) throw new Error('Queue send failed: the storage of this environment is full')
    const tooLarge = messages.some(({ body }) => body.byteLength > MESSAGE_BYTES_MAX)
    if (tooLarge) throw new Error(`Queue send failed: a message has more than ${MESSAGE_BYTES_MAX} bytes`)
    this.ctx.storage.transactionSync(() => {
      this.remember(name)
      for (const message of messages) this.insert(message)
    })
    await this.schedule((this.consumer?.maxBatchTimeoutSeconds ?? 0) * 1000)
    return this.sql.exec('SELECT count(*) AS count FROM messages').one().count
  }

  insert({ body, format, delaySeconds }: Sent) {
    const now = Date.now()
    const id = crypto.randomUUID().replaceAll('-', '')
    this.sql.exec(
      'INSERT INTO messages (id, sentAt, dueAt, format, body) VALUES (?, ?, ?, ?, ?)',
      id,
      now,
      now + delaySeconds * 1000,
      format,
      body,
    )
  }

  /** Messages that came before there was a consumer have no alarm. */
  async resume(name: string) {
    this.remember(name)
    await this.schedule(0)
  }

  async schedule(waitMs: number) {
    if (!this.consumer) return
    const { dueAt } = this.sql.exec('SELECT min(dueAt) AS dueAt FROM messages').one()
    if (dueAt === null) return
    const at = Math.max(dueAt, Date.now() + waitMs, this.env.EVENTS_AFTER_MS)
    const current = await this.ctx.storage.getAlarm()
    if (current === null || current > at) await this.ctx.storage.setAlarm(at)
  }

  async alarm() {
    const { consumer } = this
    for (let batch = 0; consumer && batch < BATCHES_PER_ALARM_MAX && this.mayDeliver; batch++) {
      const due = this.nextBatch(consumer)
      if (due.length === 0) break
      await this.deliver(due, consumer)
    }
    await this.schedule(SOON_MS)
  }

  get mayDeliver() {
    return !deliveries.isPaused && Date.now() >= this.env.EVENTS_AFTER_MS
  }

  /** A message that is claimed already was in a batch that ended with its process. It is delivered alone: another one may be the reason. */
  nextBatch({ maxBatchSize }: Consumer): Message[] {
    const due = this.sql
      .exec(
        `SELECT messages.*, claims.id IS NOT NULL AS isClaimed FROM messages LEFT JOIN claims USING (id)
         WHERE dueAt <= ? ORDER BY dueAt LIMIT ?`,
        Date.now(),
        maxBatchSize,
      )
      .toArray()
    const claimedAt = due.findIndex(({ isClaimed }) => isClaimed)
    return claimedAt === -1 ? due : due.slice(0, Math.max(1, claimedAt))
  }

  async deliver(due: Message[], consumer: Consumer) {
    const spent = due.filter(({ attempts }) => attempts > consumer.maxRetries)
    for (const message of spent) await this.giveUp(message, consumer)
    const batch = due.filter((message) => !spent.includes(message))
    if (batch.length === 0) return
    deliveries.running++
    try {
      await this.claim(batch, consumer)
      await this.settle(batch, await this.call(batch), consumer)
    } finally {
      deliveries.running--
    }
  }

  /** Counts the attempt before the consumer is called: one that ends with its process counts, too. */
  async claim(batch: Message[], { retryDelaySeconds }: Consumer) {
    const dueAt = Date.now() + retryDelaySeconds * 1000
    const ids = JSON.stringify(batch.map(({ id }) => id))
    this.ctx.storage.transactionSync(() => {
      this.sql.exec(
        'UPDATE messages SET attempts = attempts + 1, dueAt = ? WHERE id IN (SELECT value FROM json_each(?))',
        dueAt,
        ids,
      )
      this.sql.exec('INSERT OR IGNORE INTO claims SELECT value FROM json_each(?)', ids)
    })
    await this.ctx.storage.sync()
  }

  async call(batch: Message[]): Promise<Answer> {
    try {
      return await this.env.USER.queue(this.name ?? '', batch.map(messageOf))
    } catch {
      return FAILED
    }
  }

  async settle(batch: Message[], answer: Answer, consumer: Consumer) {
    const isFailed = answer.outcome !== 'ok' || answer.retryBatch?.retry === true
    const acknowledged = new Set(answer.explicitAcks ?? [])
    const retried = new Map(
      (answer.retryMessages ?? []).map(({ msgId, delaySeconds }) => [msgId, delaySeconds]),
    )
    for (const message of batch) {
      const isRetried =
        !answer.ackAll && !acknowledged.has(message.id) && (isFailed || retried.has(message.id))
      if (!isRetried) this.forget(message)
      else if (message.attempts < consumer.maxRetries)
        this.retry(
          message,
          retried.get(message.id) ?? answer.retryBatch?.delaySeconds ?? consumer.retryDelaySeconds,
        )
      else await this.giveUp(message, consumer)
    }
  }

  forget({ id }: Message) {
    this.sql.exec('DELETE FROM messages WHERE id = ?', id)
    this.sql.exec('DELETE FROM claims WHERE id = ?', id)
  }

  retry({ id }: Message, delaySeconds: number) {
    this.sql.exec('UPDATE messages SET dueAt = ? WHERE id = ?', Date.now() + delaySeconds * 1000, id)
    this.sql.exec('DELETE FROM claims WHERE id = ?', id)
  }

  async giveUp(message: Message, { deadLetterQueue }: Consumer) {
    if (deadLetterQueue) {
      const letter = { body: message.body, format: message.format, delaySeconds: 0 }
      const queue = this.env.QUEUES.get(this.env.QUEUES.idFromName(deadLetterQueue))
      try {
        await queue.send(deadLetterQueue, [letter])
      } catch {
        return this.retry(message, DEAD_LETTER_RETRY_SECONDS)
      }
    }
    this.forget(message)
  }
}

const FAILED = { outcome: 'exception' }

function messageOf({ id, sentAt, format, body, attempts }: Message) {
  const common = { id, timestamp: new Date(sentAt), attempts: attempts + 1 }
  if (format === 'v8') return { ...common, serializedBody: new Uint8Array(body) }
  if (format === 'bytes') return { ...common, body }
  const text = decoder.decode(body)
  return { ...common, body: format === 'json' ? JSON.parse(text) : text }
}

export const queues = {
  async fetch(request: Request, env: Env, { props }: Context<{ queue: string }>) {
    const delay = Number(request.headers.get('X-Msg-Delay-Secs') ?? 0) || 0
    const queue = env.QUEUES.get(env.QUEUES.idFromName(props.queue))
    const { pathname } = new URL(request.url)
    const messages =
      pathname === '/batch'
        ? ((await request.json()) as { messages: Batched[] }).messages.map(
            ({ body, contentType, delaySecs }) => ({
              body: Uint8Array.fromBase64(body).buffer,
              format: contentType ?? 'v8',
              delaySeconds: delaySecs ?? delay,
            }),
          )
        : [
            {
              body: await request.arrayBuffer(),
              format: request.headers.get('X-Msg-Fmt') ?? 'v8',
              delaySeconds: delay,
            },
          ]
    const backlogCount = await queue.send(props.queue, messages)
    return Response.json({
      metadata: { metrics: { backlogCount, backlogBytes: 0, oldestMessageTimestamp: 0 } },
    })
  },
}
