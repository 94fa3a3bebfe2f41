export { type NewMail, type Outbox, createOutbox } from './outbox.ts'
export { mailRoutes } from './routes.ts'
export { createOutboxStore } from './store.ts'
