export { openDatabase } from './open.ts'
export { migrationNames } from './migrations.ts'
