/** Agents: their tokens, the approvals that they have asked for, their last calls. */
export type AgentsTables = {
  /** Tokens with which agents act for a developer in one environment. */
  agents_tokens: {
    id: string
    /** Of the token, which is not stored. */
    hash: string
    developerId: string
    projectId: string
    environmentId: string
    label: string
    /** The tools beyond reading, as a JSON list of names. */
    tools: string
    /** 1: destructive calls need no approval. */
    unattended: number
    /** The consent that the token comes from; null for a token that a developer created. */
    grantId: string | null
    /** Of a grant: the client gets a new token then. Null: the token works until `expiresAt`. */
    accessExpiresAt: string | null
    client: string | null
    createdAt: string
    expiresAt: string
    lastUsedAt: string | null
    revokedAt: string | null
  }
  /** Destructive calls that a developer decides about. */
  agents_approvals: {
    id: string
    tokenId: string
    environmentId: string
    tool: string
    argumentsHash: string
    /** For the developer who decides: JSON in which long texts are shortened. */
    arguments: string
    summary: string
    /** `open`, `approved`, `refused` or `used`. */
    status: string
    createdAt: string
    expiresAt: string
    /** Id of the developer; `form` if the client of the agent has asked its user. */
    decidedBy: string | null
  }
  /** The last calls of a token. */
  agents_calls: {
    tokenId: string
    sequence: number
    environmentId: string
    at: string
    tool: string
    /** `ok`, or the error code of the response. */
    outcome: string
  }
  /** Consents of developers: a client may get tokens of this agent. A grant ends when its agent does. */
  agents_grants: {
    id: string
    agentId: string
    developerId: string
    environmentId: string
    clientId: string
    /** Of the part of the refresh token that stays; null until the code was exchanged. */
    refreshHash: string | null
    /** Of the part of the refresh token that changes with every use. */
    currentHash: string | null
    /** How often it was refreshed. */
    generation: number
    /** Of the last refresh; null before the first one. */
    renewedAt: string | null
    /** With it and the token before, which is not stored, the tokens of the last refresh can be computed again. */
    renewSalt: string | null
    createdAt: string
    expiresAt: string
  }
  /** The code that a client gets by way of the browser, for its first token. */
  agents_codes: {
    /** Of the code, which is not stored. */
    codeHash: string
    grantId: string
    environmentId: string
    /** SHA-256 of the secret that only the client has, in base64url. */
    challenge: string
    redirectUri: string
    expiresAt: string
    usedAt: string | null
  }
  /** Clients that an operator has added. */
  agents_clients: {
    id: string
    name: string
    /** A JSON list. */
    redirectUris: string
    createdAt: string
  }
}
