/** A refusal in the form of OAuth (RFC 6749, 5.2): clients know these codes, not those of our API. */
export class OAuthError extends Error {
  readonly code:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'invalid_target'
    | 'unsupported_grant_type'

  constructor(code: OAuthError['code'], description: string) {
    super(description)
    this.code = code
  }
}
