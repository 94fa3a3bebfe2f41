export { createIdempotencyData } from './personal-data.ts'
export { type IdempotentResponses, createIdempotentResponses } from './responses.ts'
export { createResponseStore } from './store.ts'
