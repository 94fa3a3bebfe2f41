export { createRevocations, type Revocations } from './revocations.ts'
export { createRevocationStore } from './store.ts'
