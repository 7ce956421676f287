export { openDatabase } from './open.ts'
export { migrationNames } from './migrations/index.ts'
