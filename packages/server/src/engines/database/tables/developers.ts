/** Accounts of developers: sessions, one-time tokens and links, external sign-in, sign-in of command lines. */
export type DevelopersTables = {
  /** Developer accounts. */
  developers: {
    id: string
    email: string
    name: string | null
    passwordHash: string | null
    emailVerifiedAt: string | null
    createdAt: string
    /** 1 for operators of the service. */
    isOperator: number
  }
  /** One-time links that admit a new developer: `setup` the operator, `invite` others. A row is deleted by its use. */
  developers_invitations: {
    tokenHash: string
    kind: string
    email: string | null
    createdAt: string
    expiresAt: string
  }
  /** Sessions of developers, by the hash of their token. */
  developers_sessions: {
    tokenHash: string
    developerId: string
    createdAt: string
    expiresAt: string
  }
  /**
   * One-time tokens: mailed (verify, reset), issued after a second sign-in (reauth), or for a browser that a command line opens
   * (browser). A row is deleted when it is used.
   */
  developers_tokens: {
    tokenHash: string
    developerId: string
    kind: string
    email: string
    expiresAt: string
  }
  /** Sign-ins of command lines. A row is deleted when its session is collected. */
  developers_device_codes: {
    /** Hash of the secret that only the command line has. */
    secretHash: string
    codeHash: string
    /** Client address of the request; shown to the developer who decides. */
    address: string
    createdAt: string
    expiresAt: string
    /** `confirmed` or `refused`; null until a developer decides. */
    decision: string | null
    developerId: string | null
    /** Hash of the token of the session in which the developer confirmed. */
    sessionHash: string | null
  }
  /** External sign-in methods of developers. */
  developers_identities: {
    provider: string
    subject: string
    developerId: string
    email: string | null
    linkedAt: string
  }
  /** HMAC of client addresses with successful sign-ins; `day` is that of the last one. */
  developers_sign_in_addresses: { developerId: string; addressHash: string; day: string }
  /** An external sign-in between start and callback. */
  developers_sign_ins: {
    stateHash: string
    provider: string
    redirectUrl: string
    challenge: string
    intent: string
    developerId: string | null
    verifier: string
    nonce: string
    expiresAt: string
  }
  /** An external sign-in between callback and exchange. */
  developers_exchange_codes: {
    codeHash: string
    provider: string
    subject: string
    email: string | null
    emailVerified: number
    name: string | null
    challenge: string
    intent: string
    developerId: string | null
    expiresAt: string
    /** Hash of the session token it returned; null until it was used. */
    sessionHash: string | null
  }
}
