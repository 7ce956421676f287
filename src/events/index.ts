export { fireEvent } from './fire-event.ts'
