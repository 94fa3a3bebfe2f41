/** Copies the write-ahead log before SQLite restarts it, for example to restore the database of any moment. */
export type LogShipping = {
  /** After each commit. Returns at once. */
  onCommit(): void
  /** Before each commit, with the size of the log. Returns at once. */
  onSize(logBytes: number): void
  /** Whether the log may be restarted now: nothing in it is needed any more. Writers wait, so the answer comes within 2 s. */
  mayRestart(logBytes: number): Promise<boolean>
  /** The log was restarted, and `mayRestart` had allowed it. */
  onRestart(): void
  /** The log has to be verified by SQLite, so every connection is closed. What was not copied may be missing afterwards. */
  abandon(): Promise<void>
  /** Copies the rest and closes its connections: the file is closed next, which removes the log. */
  finish(): Promise<void>
  /** How long the oldest commit waits that is not copied yet. */
  ageSeconds(): number
  /** The file is closed. */
  onClosed(): void
}
