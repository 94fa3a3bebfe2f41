import { AsyncLocalStorage } from 'node:async_hooks'

import { epochMs } from '../clock.ts'
import type { Random } from '../random.ts'
import { type RemoteParent, writeTraceparent } from './traceparent.ts'

/** Never an id of a player, a query string, a token or an address of a person. */
export type Attributes = Record<string, string | number>
/** `server`: a request that arrived. `client`: a call of something else. */
export type SpanKind = 'internal' | 'server' | 'client'

/** One step of a request: its time, its place in the trace, and whether it failed. */
export type Span = {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: SpanKind
  startMs: number
  endMs: number
  attributes: Attributes
  isError: boolean
  part: LocalPart
}

/** The spans of one trace that belong to one request of this node. They are sent together, or not at all. */
type LocalPart = { isSampled: boolean; spans: Span[]; leftOut: number; isOver: boolean }

/** Records the spans of requests. */
export type Tracer = ReturnType<typeof createTracer>

/** A request with very many steps: the first ones show what it does. */
const SPANS_MAX = 128

/**
 * Records spans of every request, because only its end shows whether it failed. `send` gets those of requests that are sampled, and
 * of all that failed.
 */
export function createTracer(deps: { sampleRatio: number; random: Random; send(spans: Span[]): void }) {
  const { sampleRatio, random, send } = deps
  const storage = new AsyncLocalStorage<Span | undefined>()
  const newId = (bytes: number) => random.bytes(bytes).toString('hex')
  const isChosen = () => random.bytes(4).readUInt32BE() < sampleRatio * 2 ** 32

  /** Work that a request has left behind (timers, sockets, processes) belongs to no span. */
  function current(): Span | undefined {
    const span = storage.getStore()
    return span?.part.isOver ? undefined : span
  }

  function newSpan(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    at: Pick<Span, 'traceId' | 'parentSpanId' | 'part'>,
  ): Span {
    const span = {
      ...at,
      spanId: newId(8),
      name,
      kind,
      startMs: epochMs(),
      endMs: 0,
      attributes,
      isError: false,
    }
    const { part } = span
    if (part.spans.length < SPANS_MAX) part.spans.push(span)
    else part.leftOut++
    return span
  }

  /** Begins a request: a new trace, or the part of this node in one that began elsewhere. */
  function beginRequest(name: string, attributes: Attributes, parent?: RemoteParent): Span {
    const part = { isSampled: parent?.isSampled ?? isChosen(), spans: [], leftOut: 0, isOver: false }
    const at = { traceId: parent?.traceId ?? newId(16), parentSpanId: parent?.spanId, part }
    return newSpan(name, 'server', attributes, at)
  }

  /** The request turns out to be from a caller that may decide what is recorded: it becomes a part of that caller's trace. */
  function continueTrace(span: Span, { traceId, spanId, isSampled }: RemoteParent) {
    span.parentSpanId = spanId
    span.part.isSampled = isSampled
    for (const one of span.part.spans) one.traceId = traceId
  }

  function endRequest(span: Span, isError: boolean) {
    const { part } = span
    if (part.isOver) return
    end(span, isError)
    part.isOver = true
    const { spans, leftOut } = part
    // Sockets and timers may keep the part in memory.
    part.spans = []
    if (!part.isSampled && !isError) return
    if (leftOut > 0) span.attributes['svc.spans_left_out'] = leftOut
    for (const one of spans) if (one.endMs === 0) one.endMs = span.endMs
    send(spans)
  }

  /** A step of the current request; undefined if there is none. */
  function beginStep(name: string, kind: SpanKind, attributes: Attributes): Span | undefined {
    const parent = current()
    if (!parent) return undefined
    return newSpan(name, kind, attributes, {
      traceId: parent.traceId,
      parentSpanId: parent.spanId,
      part: parent.part,
    })
  }

  function end(span: Span, isError: boolean) {
    if (span.endMs > 0) return
    span.endMs = epochMs()
    span.isError = isError
  }

  /** Runs the work in the span, and ends it with the work. Work that is not a promise stays so. */
  function runIn<T>(span: Span, work: () => T, finish: (span: Span, isError: boolean) => void): T {
    let result: T
    try {
      result = storage.run(span, work)
    } catch (error) {
      finish(span, isFailure(error))
      throw error
    }
    if (!(result instanceof Promise)) {
      finish(span, false)
      return result
    }
    result.then(
      () => finish(span, false),
      (error: unknown) => finish(span, isFailure(error)),
    )
    return result
  }

  return {
    current,
    beginRequest,
    continueTrace,
    endRequest,
    beginStep,
    end,
    run: <T>(span: Span | undefined, work: () => T): T => storage.run(span, work),
    /** Runs the work as a step of the current request. */
    step<T>(name: string, kind: SpanKind, attributes: Attributes, work: (span?: Span) => T): T {
      const span = beginStep(name, kind, attributes)
      return span ? runIn(span, () => work(span), end) : work()
    },
    /** Runs the work as a request of its own. */
    request: <T>(name: string, attributes: Attributes, parent: RemoteParent | undefined, work: () => T): T =>
      runIn(beginRequest(name, attributes, parent), work, endRequest),
  }
}

/** The header with which a request to elsewhere continues the trace. */
export const traceparentOf = ({ traceId, spanId, part }: Span): string =>
  writeTraceparent({ traceId, spanId, isSampled: part.isSampled })

/** What the caller did wrong is not a failure of the service. */
const isFailure = (error: unknown): boolean =>
  !(error instanceof Error && 'status' in error && Number(error.status) < 500)
