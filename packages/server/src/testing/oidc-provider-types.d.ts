/** The part of oidc-provider that tests use; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> }

  export type InteractionContext = {
    oidc: { client: { clientId: string }; session: { accountId: string }; result?: { login?: object } }
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    Grant: new (of: { clientId: string; accountId: string }) => Grant
    callback(): RequestListener
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }

  type Policy = { add(prompt: Prompt, at: number): void }
  class Prompt {
    constructor(info: { name: string; requestable: boolean })
  }
  export const interactionPolicy: { base(): Policy; Prompt: typeof Prompt }
}
