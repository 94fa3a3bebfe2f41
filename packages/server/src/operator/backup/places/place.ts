/** What the verification of a backup found. */
export type Report = {
  /** Null if it failed. */
  verifiedAt: string | null
  /** Why it cannot be restored. */
  failures: string[]
  /** What an operator should know, although it can be restored. */
  notices: string[]
}

/** A backup that is stored completely. `report` is undefined until it was verified. */
export type Stored = { name: string; createdAt: string; bytes: number; report: Report | undefined }

/** Where backups are stored. */
export type Place = AsyncDisposable & {
  where: 'folder' | 's3'
  /** Complete backups, newest first. */
  list(): Promise<Stored[]>
  /** A file that `write` of this name writes first, if it is a file. */
  draftOf(name: string): string | undefined
  /** Stores a backup: it is listed when it is complete and durable. Returns its size. */
  write(name: string, bytes: AsyncIterable<Buffer>): Promise<number>
  /** Stores what its verification found. */
  report(name: string, report: Report): Promise<void>
  /** Throws one sentence if there is none of this name. */
  read(name: string): AsyncIterable<Buffer>
  remove(name: string): Promise<void>
  /** Removes incomplete backups of processes that were killed. */
  removeIncomplete(): Promise<void>
}

const NAME = /^svc-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.tar(?:\.sealed)?$/

export const nameOf = (createdAt: string, isSealed: boolean): string =>
  `svc-${createdAt.replaceAll(/[:.]/g, '-')}.tar${isSealed ? '.sealed' : ''}`

/** Undefined if it is not the name of a backup that the service created. */
export function timeIn(name: string): string | undefined {
  const [, hour, minute, second, ms] = NAME.exec(name) ?? []
  return hour === undefined ? undefined : `${hour}:${minute}:${second}.${ms}Z`
}

export const newestFirst = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? 1 : -1)

/** Undefined if the text is not a report. */
export function readReport(text: string): Report | undefined {
  try {
    const { verifiedAt, failures, notices } = JSON.parse(text) as Report
    return { verifiedAt, failures, notices }
  } catch {
    return undefined
  }
}
