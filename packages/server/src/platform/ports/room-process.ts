import type { IncomingMessage, ServerResponse } from 'node:http'

import type { FunctionLogText, FunctionsSpec, FunctionsUsage, StoreBinding } from './functions-spec.ts'

export type { StoreBinding } from './functions-spec.ts'

/**
 * Why a process of rooms has ended. `failed`: it crashed, or it sent something that no healthy process sends. `killed`: by a signal from
 * outside, as the kernel sends it when memory is short; no code is to blame.
 */
export type RoomProcessEnd = 'stopped' | 'cpu_limit_exceeded' | 'memory_limit_exceeded' | 'failed' | 'killed'

/** What a process of rooms is started with. Its code is never null. */
export type RoomProcessSpec = FunctionsSpec & {
  /**
   * A message of the process: at most 8 MiB, valid UTF-8. Nothing else about it is checked: the code may have written any of it. The
   * bytes may be kept.
   */
  onMessage(bytes: Buffer): void
  /**
   * Answers a call of a binding: the request is passed on, as it is, to `Running.fetchBinding` of the environment, maybe on another node,
   * and its response as it is back to the process. `binding` is the one of this version, which may differ from that of the live version
   * with the same name. At most 256 are in progress.
   */
  onBindingCall(binding: StoreBinding, request: IncomingMessage, response: ServerResponse): void
  /**
   * Answers `env.SVC.functions.fetch(path)`: the request is passed on to the functions of the environment, as a request of a visitor
   * without a player. It is already counted as a sub-request.
   */
  onFunctionsCall(request: IncomingMessage, response: ServerResponse): void
  /** Gets the log lines of the rooms, for the log on another node; otherwise they are in the log of this node. */
  onLine?(line: FunctionLogText): void
  /** Called once. No message arrives afterwards. Every end but `stopped` has a line in the log, with its reason. */
  onEnd(end: RoomProcessEnd): void
}

/**
 * A process that runs rooms of one version of the functions of an environment. It has no data folder, so that several may run at once, of
 * several versions, on any node. What it is sent and what it answers is in `engines/functions/workerd/workers/README.md`.
 */
export type RoomProcess = {
  /** Sends one batch of turns. Nothing happens after the end. */
  send(batch: string): void
  /** CPU time of the thread that runs the rooms, since the start, as of the last 25 ms. */
  cpuMs(): number
  /** Returns the usage since the last call and sets it to zero; also after the end. */
  takeUsage(): FunctionsUsage
  /** Ends the process. What was sent before is not waited for. With `why` it has failed: the reason for the log. */
  stop(why?: string): Promise<void>
}
