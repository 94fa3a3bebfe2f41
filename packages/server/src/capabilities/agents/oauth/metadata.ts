/** Where clients of `/mcp` learn who gives out tokens for it (RFC 9728). */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/mcp'
export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server'

export const resourceMetadata = (baseUrl: string) => ({
  resource: `${baseUrl}/mcp`,
  authorization_servers: [baseUrl],
  bearer_methods_supported: ['header'],
  resource_documentation: `${baseUrl}/docs`,
})

/** Of the service as an authorization server (RFC 8414). There is no registration endpoint: clients have documents. */
export const serverMetadata = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
})
