export { AuditEntry } from './entities.ts'
export { deleteOldEntries, writeEntry } from './queries.ts'
