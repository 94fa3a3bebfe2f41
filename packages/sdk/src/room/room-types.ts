/**
 * What a client needs to know of a room class, as types only: `svc.rooms.join<Arena>(…)`. These types name no class, so that a page can use
 * them with `import type` and gets no code of the room.
 */

type OwnState = (player: string) => object

/** Any class that extends `Room`, seen from outside. */
export type AnyRoom = { state: object; own: OwnState; messages: object }

/** The shared state of a room class. */
export type StateOf<R extends AnyRoom> = R['state']

/** What `own(player)` of a room class returns: the state that only this player gets. */
export type OwnOf<R extends AnyRoom> = ReturnType<R['own']>

/** What `onCreate` of a room class gets. */
export type OptionsOf<R> = R extends { onCreate(options: infer Options): unknown } ? Options : unknown

/**
 * The messages of a room class by type: what a client sends, and what it gets back. A handler without a second parameter takes no data.
 *
 * ```ts
 * type Buy = MessagesOf<Arena>['buy'] // { data: { item: string }; result: { coins: number } }
 * ```
 */
export type MessagesOf<R extends AnyRoom> = {
  [Type in keyof R['messages'] & string]: R['messages'][Type] extends (
    player: never,
    ...data: infer Data
  ) => infer Result
    ? { data: Data extends [] ? undefined : Data[0]; result: Awaited<Result> }
    : never
}

/** The arguments after the type in `send` and `call`: the data, which can be omitted if the handler allows undefined. */
export type DataArguments<Data> = undefined extends Data ? [data?: Data] : [data: Data]
