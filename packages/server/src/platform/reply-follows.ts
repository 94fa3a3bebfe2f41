/** What a frame handler returns if the reply is sent later, by the actor that was asked: the connection's next frames do not wait for it. */
export const REPLY_FOLLOWS = Symbol('the reply follows')
