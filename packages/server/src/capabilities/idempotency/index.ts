export { type Answers, createAnswers } from './answers.ts'
export { createAnswerStore } from './store.ts'
