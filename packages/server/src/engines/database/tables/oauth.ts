/** External sign-in of players: credentials of environments, and sign-ins in progress. */
export type OauthTables = {
  /** An external sign-in of a player between start and callback. */
  oauth_sign_ins: {
    stateHash: string
    environmentId: string
    provider: string
    redirectUrl: string
    challenge: string
    mode: string
    /** The player to link, and the session that started it: if the session has ended, the link fails. */
    playerId: string | null
    linkSessionId: string | null
    /** 1: if the identity belongs to another player, sign in as that player. */
    orSignIn: number
    verifier: string
    nonce: string
    expiresAt: string
  }
  /** An external sign-in of a player between callback and exchange. */
  oauth_exchange_codes: {
    codeHash: string
    environmentId: string
    provider: string
    subject: string
    /** Profile from the provider; emptied together with `subject` when the code is used. */
    profile: string
    /** Error of the provider, instead of an identity. */
    refusal: string | null
    challenge: string
    /** The player to link; once the code was used, the player who signed in. */
    playerId: string | null
    linkSessionId: string | null
    orSignIn: number
    expiresAt: string
    /** Id of the session it returned; null until it was used. */
    sessionId: string | null
  }
  /** Credentials of an environment at sign-in providers; their secrets are in `secrets`. */
  oauth_credentials: { environmentId: string; provider: string; settings: string; updatedAt: string }
}
