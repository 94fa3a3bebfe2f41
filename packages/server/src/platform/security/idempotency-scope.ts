import { sha256 } from '../crypto.ts'

/**
 * The scope of an Idempotency-Key: two callers never share a key, and neither do two operations. The caller is stored as a hash, so
 * that nothing leads from a stored response to a deleted player.
 */
export const idempotencyScope = (callerId: string, operation: string) => `${sha256(callerId)} ${operation}`

/** All scopes of a caller begin with this. */
export const idempotencyScopesOf = (callerId: string) => `${sha256(callerId)} `
