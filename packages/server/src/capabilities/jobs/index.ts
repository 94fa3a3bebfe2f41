export { createJobStore } from './store.ts'
