export { type Rotation, type Secrets, createSecrets } from './secrets.ts'
export { createSecretStore } from './store.ts'
