export { type FiredEvent, fireEvent } from './fire-event.ts'
