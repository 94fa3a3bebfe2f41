export { createCredentials } from './credentials.ts'
export { credentialsRoutes } from './routes.ts'
export { createCredentialStore } from './store.ts'
