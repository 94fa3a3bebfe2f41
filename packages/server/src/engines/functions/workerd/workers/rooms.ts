// The main script of a process of rooms: one WebSocket of the service, over which batches of turns come and go as text.
type Run = <Result>(roomId: string, work: () => Result) => Result
/** Of wrap.ts. */
type Wrapper = { runAs: Run; collectGarbage(): void }
/** Of the SDK. */
type RoomRuntime = {
  createRooms(options: { classes: object; env: unknown; run: Run; send(text: string): void }): {
    handle(text: string): string
  }
}

/** The service asks for a collection; everything else that it sends is a batch. */
const COLLECT = 'collect'
const COLLECTED = 'collected'

/** The default export that workerd serves. `user` is what the main module of the code exports. */
export function serveRooms(user: object, { createRooms }: RoomRuntime, { runAs, collectGarbage }: Wrapper) {
  return {
    fetch(_request: Request, env: unknown) {
      const { 0: client, 1: server } = new WebSocketPair()
      server.accept()
      const send = (text: string) => server.send(text)
      const rooms = createRooms({ classes: user, env, run: runAs, send })
      server.addEventListener('message', ({ data }) => {
        if (data !== COLLECT) return send(rooms.handle(data))
        collectGarbage()
        return send(COLLECTED)
      })
      return new Response(null, { status: 101, webSocket: client })
    },
  }
}
