/** Who an access token speaks for: proven by signature, so that reading costs no lookup. */
export type Player = { id: string; environmentId: string; sessionId: string }
