import { Failure } from './failure.ts'

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
}

/** Whether a call of the file system failed. */
export const isDiskError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'

/** `/nowhere/x.json: there is no such file or folder (ENOENT, open).` */
export function diskFailure(error: NodeJS.ErrnoException, fix?: string): Failure {
  const { code = '', path, syscall, message } = error
  const reason = REASONS[code]
  if (reason === undefined || path === undefined) return new Failure('failed', message, { fix })
  return new Failure('failed', `${path}: ${reason} (${code}, ${syscall}).`, { fix })
}
