// The main script of a process of rooms: one WebSocket of the service, over which batches of turns come and go as text.
type Run = <Result>(roomId: string, work: () => Result) => Result
/** Of wrap.ts. */
type Wrapper = { runAs: Run; collectGarbage(): void }
/** Of the SDK. */
type RoomRuntime = {
  roomClassesOf(exports: object): { className: string }[]
  createRooms(options: {
    classes: Record<string, unknown>
    env: unknown
    run: Run
    send(text: string): void
  }): { handle(text: string): string }
}

/** The service asks for a collection; everything else that it sends is a batch. */
const COLLECT = 'collect'
const COLLECTED = 'collected'

/** The default export that workerd serves. `user` is what the main module of the code exports. */
export function serveRooms(
  user: Record<string, unknown>,
  { createRooms, roomClassesOf }: RoomRuntime,
  { runAs, collectGarbage }: Wrapper,
) {
  const classes = Object.fromEntries(roomClassesOf(user).map(({ className }) => [className, user[className]]))
  return {
    fetch(_request: Request, env: unknown) {
      const { 0: client, 1: server } = new WebSocketPair()
      server.accept()
      const send = (text: string) => server.send(text)
      const rooms = createRooms({ classes, env, run: runAs, send })
      server.addEventListener('message', ({ data }) => {
        if (data !== COLLECT) return send(rooms.handle(data))
        collectGarbage()
        return send(COLLECTED)
      })
      return new Response(null, { status: 101, webSocket: client })
    },
  }
}
