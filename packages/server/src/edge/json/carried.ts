import { LIMITS } from '@svc/contract/common/limits'

import { invalidField } from '../../platform/api-error.ts'
import { isDeeperThan } from './depth.ts'
import { rawMember, rawMembers } from './raw-member.ts'

const DEPTH_MAX = LIMITS.carriedJsonDepthMax

/**
 * The unchanged text of a member of a JSON object that the service stores or forwards without reading it (SAV-05). It is never
 * parsed and serialized, so not even `1.0` becomes `1`.
 */
export function carriedMember(object: string, name: string): string | undefined {
  const text = rawMember(object, name)
  if (text !== undefined) requireDepth(text, `$.${name}`)
  return text
}

/** The members of such a member, if the service reads only their names. */
export function carriedMembers(object: string, name: string): [name: string, text: string][] {
  const members = [...rawMembers(rawMember(object, name) ?? '{}')]
  for (const [key, text] of members) requireDepth(text, `$.${name}.${key.slice(0, 64).toWellFormed()}`)
  return members
}

function requireDepth(text: string, path: string) {
  if (!isDeeperThan(text, DEPTH_MAX)) return
  throw invalidField(path, `must not be nested deeper than ${DEPTH_MAX} levels`)
}
