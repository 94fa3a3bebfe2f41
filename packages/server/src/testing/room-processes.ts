import assert from 'node:assert/strict'
import { pipeline } from 'node:stream'
import type { TestContext } from 'node:test'

import type { FunctionCode, FunctionsEngine, Running } from '../platform/ports/functions-engine.ts'
import type { RoomProcessEnd, RoomProcessSpec } from '../platform/ports/room-process.ts'
import { codeOf, specOf } from './functions.ts'
import { modulesWithRooms } from './room-code.ts'

/** Code whose main module imports `Room` from `./room.js`. */
export const roomCodeOf = (script: string, rest: Partial<FunctionCode> = {}): FunctionCode =>
  codeOf('', {
    mainModule: 'index.js',
    modules: modulesWithRooms(script).map(({ name, content }) => ({
      name,
      type: 'esm',
      content: Buffer.from(content),
    })),
    ...rest,
  })

/** Kind and target of what a room has answered, with its payload. */
export type RoomOutput = { kind: string; target: unknown; payload: string }

/** Calls of bindings of rooms that have no functions beside them. */
const NO_CALLS: Pick<RoomProcessSpec, 'onBindingCall' | 'onFunctionsCall'> = {
  onBindingCall: (_binding, _request, response) => void response.writeHead(404).end(),
  onFunctionsCall: (_request, response) => void response.writeHead(404).end(),
}

/** A real process of rooms, spoken to as the service does. */
export async function startTestRooms(
  t: TestContext,
  engine: FunctionsEngine,
  code: FunctionCode,
  rest: Partial<RoomProcessSpec> = {},
) {
  const ended = Promise.withResolvers<RoomProcessEnd>()
  const ends: RoomProcessEnd[] = []
  const messages: Buffer[] = []
  const turns = new Map<string, number>()
  const waiting = new Map<string, (outputs: RoomOutput[]) => void>()
  const later: ((output: RoomOutput) => void)[] = []

  function onMessage(bytes: Buffer) {
    assert.deepEqual(ends, [], 'nothing arrives after the end')
    messages.push(bytes)
    if (!bytes.subarray(0, 2).equals(Buffer.from('[['))) return
    const [head = '', ...payloads] = bytes.toString().split('\n')
    for (const [roomId, turn, outputs] of JSON.parse(head) as [string, number, [string, unknown][]][]) {
      const found = outputs.map(([kind, target]) => ({ kind, target, payload: payloads.shift() ?? '' }))
      for (const output of found) for (const listener of later) listener(output)
      waiting.get(`${roomId} ${turn}`)?.(found)
    }
  }

  const process = await engine.startRooms({
    ...specOf(code),
    ...NO_CALLS,
    ...rest,
    onMessage,
    onEnd(end) {
      ends.push(end)
      ended.resolve(end)
    },
  })
  t.after(() => process.stop())

  const nextTurn = (roomId: string) => {
    const turn = (turns.get(roomId) ?? 0) + 1
    turns.set(roomId, turn)
    return turn
  }
  const failure = ended.promise.then((end) => assert.fail(`the process has ended: ${end}`))
  failure.catch(() => {})

  /** Sends one turn. */
  const send = (roomId: string, ...events: unknown[]) => {
    const turn = nextTurn(roomId)
    process.send(JSON.stringify([[roomId, turn, 0, events]]))
    return turn
  }
  /** Sends one turn, and waits for its answer. */
  const turn = (roomId: string, ...events: unknown[]): Promise<RoomOutput[]> =>
    Promise.race([
      new Promise<RoomOutput[]>((resolve) => waiting.set(`${roomId} ${send(roomId, ...events)}`, resolve)),
      failure,
    ])

  return {
    process,
    /** What has arrived, message by message. */
    messages,
    ends,
    ended: ended.promise,
    send,
    turn,
    open: (roomId: string, className: string) => turn(roomId, ['open', className, null, infoOf(roomId), 1]),
    /** Calls `onServerMessage` of a room. The first answer to this ask, whenever it comes. */
    ask(roomId: string, type: string, data: unknown = null): Promise<RoomOutput> {
      const askId = `ask-${nextAsk++}`
      const answered = new Promise<RoomOutput>((resolve) =>
        later.push((output) => {
          if (output.target === askId) resolve(output)
        }),
      )
      send(roomId, ['msg', askId, type, data])
      return Promise.race([answered, failure])
    },
  }
}
let nextAsk = 1

const infoOf = (id: string) => ({
  id,
  code: 'ABCDEFGH',
  mode: 'arena',
  maxPlayers: 8,
  private: false,
  metadata: null,
  createdAt: 0,
  tickRate: 0,
})

let calls = 0

/** Passes calls of bindings on to functions on the same node, and calls of the functions to their code. */
export const callsOf = (running: Running): Pick<RoomProcessSpec, 'onBindingCall' | 'onFunctionsCall'> => {
  const requestOf = (request: Parameters<RoomProcessSpec['onFunctionsCall']>[0]) => ({
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: request.headers,
    body:
      request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined
        ? null
        : request,
    requestId: `call-${++calls}`,
  })
  const pass = (
    answer: ReturnType<Running['fetch']>,
    response: Parameters<RoomProcessSpec['onFunctionsCall']>[1],
  ) =>
    void answer.then(
      ({ status, headers, body }) => {
        const { connection: _, 'transfer-encoding': __, ...passed } = headers
        response.writeHead(status, passed)
        if (Buffer.isBuffer(body)) response.end(body)
        else pipeline(body, response, () => {})
      },
      () => response.destroy(),
    )
  return {
    onBindingCall: (binding, request, response) =>
      pass(running.fetchBinding(binding, requestOf(request)), response),
    onFunctionsCall: (request, response) => pass(running.fetch(requestOf(request)), response),
  }
}
