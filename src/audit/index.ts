export { AuditEntry } from './entities.ts'
export { forgetEntries, writeEntry } from './queries.ts'
