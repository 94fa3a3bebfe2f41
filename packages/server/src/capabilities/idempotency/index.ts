export { type IdempotentResponses as Answers, createIdempotentResponses as createAnswers } from './answers.ts'
export { createResponseStore as createAnswerStore } from './store.ts'
