/** The result of a claim: this node owns the name now, another node owns it, or nobody has ever owned it. */
export type Claim =
  | { owner: 'us'; fence: number; snapshot: string | undefined }
  | { owner: 'other'; nodeId: string }
  | { owner: 'nobody' }

/**
 * The nodes of one service: which are live, which node owns which name, and messages between them.
 *
 * A name has one owner at a time. Ownership lasts as long as the owner's heartbeat; a node whose heartbeat may have lapsed
 * says so in `isLive` before anybody else can claim what it owned, and must not speak for its names until it is live again.
 */
export type Cluster = {
  nodeId: string
  /** False where this node is alone for good: then nobody else will ever need what it keeps. */
  shared: boolean
  /**
   * False from before the moment another node could take over what this one owns. Costs nothing to ask. With the fence of a
   * claim also false when the heartbeat has lapsed since, until the name is reclaimed: ask it so before speaking for a name.
   */
  isLive(fence?: number): boolean

  /**
   * Takes the name unless a live node has it. `existing` takes only what somebody has owned before and left or lost: a room that
   * never was stays unknown. `reclaim` is for what this node held before its heartbeat lapsed, and finds nobody where another
   * has had it meanwhile: what this node knows of it is out of date. Each claim gets a new fence, which ends the one before.
   */
  claim(name: string, how: 'existing' | 'any' | 'reclaim'): Promise<Claim>
  /** Keeps what a next owner starts from. False: the name is no longer ours under this fence, and nothing was kept. */
  saveSnapshot(name: string, fence: number, snapshot: string): Promise<boolean>
  /** Gives the name up; with `leaveSnapshot` the next claim finds it, without it the name is forgotten. Never throws. */
  release(name: string, fence: number, how: { keepSnapshot: boolean }): Promise<void>

  /** To one other node. Batched per turn of the loop, in order, at most once. To a node that is gone it is lost. */
  send(nodeId: string, message: string): void
  onMessage(handler: (fromNodeId: string, message: string) => void): void
  /** This node included. */
  nodes(): readonly string[]
  /** A node has stopped or died: what it owned can be claimed, its connections are gone. */
  onNodeLost(handler: (nodeId: string) => void): void
  /**
   * This node was cut off and is live again: messages may be lost in both directions, and others may have taken what it owned.
   * Runs in the same go in which `isLive` becomes true.
   */
  onReconnected(handler: () => void): void

  /** Small facts that all nodes see: which connection a player has, which room a code names. Forgotten after a week. */
  records: {
    get(name: string): Promise<string | undefined>
    /** Returns what was there before. */
    swap(name: string, value: string): Promise<string | undefined>
    /** Only where nothing is; false otherwise. */
    add(name: string, value: string): Promise<boolean>
    /** Only while it still has this value. */
    remove(name: string, value: string): Promise<void>
  }

  /** Stops owning and being there; other nodes notice at once. */
  close(): Promise<void>
}
