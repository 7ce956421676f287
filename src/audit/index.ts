export { type Actor, AuditEntry } from './entities.ts'
export { deleteOldEntries, writeEntry } from './queries.ts'
