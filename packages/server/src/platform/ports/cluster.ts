import type { Metric } from '../metrics/metrics.ts'

/** The result of a claim: this node owns the name now, another node owns it, or no node has ever owned it. */
export type Claim =
  | { owner: 'us'; fence: number; snapshot: string | undefined }
  | { owner: 'other'; nodeId: string }
  | { owner: 'nobody' }

/**
 * The nodes of one service: which are live, which node owns which name, and messages between them.
 *
 * A name has one owner at a time. Ownership lasts as long as the owner's heartbeat; on a node whose heartbeat may have lapsed,
 * `isLive` is false before another node can claim its names, and the node must not send anything for its names until it is live
 * again.
 */
export type Cluster = {
  nodeId: string
  metrics?: readonly Metric[]
  /** False if the service can only have this one node: then no other node will ever need its snapshots. */
  shared: boolean
  /**
   * Becomes false before another node could take over what this one owns. Reads only memory. With the fence of a claim it is also
   * false if the heartbeat has lapsed since the claim, until the name is reclaimed: check this before you send anything for a name.
   */
  isLive(fence?: number): boolean

  /**
   * Takes the name unless a live node owns it. `existing` takes only names that a node has owned before: a room that was never
   * created stays unknown. `reclaim` is for names that this node owned before its heartbeat lapsed; it does not take a name that
   * another node has owned since, because this node's state of it is out of date. Each claim gets a new fence and invalidates the
   * previous one.
   */
  claim(name: string, how: 'existing' | 'any' | 'reclaim'): Promise<Claim>
  /**
   * Saves the state from which the next owner starts. False: this node does not own the name under this fence any more, and nothing
   * was saved.
   */
  saveSnapshot(name: string, fence: number, snapshot: string): Promise<boolean>
  /** Releases the name. With `keepSnapshot` the next claim gets the snapshot; without it the name is deleted. Never throws. */
  release(name: string, fence: number, how: { keepSnapshot: boolean }): Promise<void>

  /** Sends to one other node: in order, at most once, batched per tick. A message to a lost node is lost. */
  send(nodeId: string, message: string): void
  onMessage(handler: (fromNodeId: string, message: string) => void): void
  /** All live nodes, including this one. */
  nodes(): readonly string[]
  /** Called when a node has stopped or died: its names can be claimed, its connections are closed. */
  onNodeLost(handler: (nodeId: string) => void): void
  /**
   * Called when this node was disconnected and is live again: messages may be lost in both directions, and other nodes may own its
   * names now. Runs in the same tick in which `isLive` becomes true.
   */
  onReconnected(handler: () => void): void

  /** Small values that all nodes share: which connection a player has, which room a code belongs to. Deleted after a week. */
  records: {
    get(name: string): Promise<string | undefined>
    /** Sets the value and returns the previous one. */
    swap(name: string, value: string): Promise<string | undefined>
    /** Sets the value if there is none; otherwise returns false. */
    add(name: string, value: string): Promise<boolean>
    /** Removes the record if it still has this value. */
    remove(name: string, value: string): Promise<void>
  }

  /** Releases all names and leaves the cluster; other nodes notice immediately. */
  close(): Promise<void>
}
