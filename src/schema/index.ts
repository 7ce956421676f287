export { openDatabase } from './open.ts'
